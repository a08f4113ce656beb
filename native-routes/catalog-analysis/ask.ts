import { ask } from '#contracts/catalog-analysis.ts'
import { newId } from '#db/new-id.ts'
import { listMessagesOfThread } from '#db/queries/catalog-analysis/analysis-threads.ts'
import { defineStream } from '../define-stream.ts'
import { answerQuestion, reserveQuestion } from './answer-question.ts'
import { requireThread, threadScopeOf } from './thread-scope.ts'

const maxHistory = 20

export const askCatalog = defineStream(ask, async ({ actor, entitlement, body, signal }, ports) => {
  const { db, clock } = ports
  const scope = threadScopeOf(actor, ports)
  const thread = body.threadId === undefined ? null : await requireThread(db.read, body.threadId, scope)
  const history = thread ? await listMessagesOfThread(db.read, thread.id, maxHistory) : []
  const reserved = await reserveQuestion(actor, entitlement, ports)
  const question = {
    text: body.message,
    threadId: thread?.id ?? newId(),
    isNewThread: thread === null,
    scope,
    reserved,
    askedAt: clock.now(),
  }
  return {
    opening: { threadId: question.threadId },
    events: answerQuestion(question, history, ports, signal),
  }
})
