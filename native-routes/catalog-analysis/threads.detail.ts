import { detail } from '#contracts/catalog-analysis.threads.ts'
import { listMessagesOfThread } from '#db/queries/catalog-analysis/analysis-threads.ts'
import { defineRoute } from '../define-route.ts'
import { requireThread, threadScopeOf } from './thread-scope.ts'

/** A thread may go on for years, and an answer has up to 100 findings. */
const maxMessages = 200

export const showAnalysisThread = defineRoute(detail, async ({ actor, params }, ports) => {
  const { read } = ports.db
  const { id, title } = await requireThread(read, params.threadId, threadScopeOf(actor, ports))
  const messages = await listMessagesOfThread(read, id, maxMessages)
  return {
    threadId: id,
    title,
    messages: messages.map(({ findings, citations, ...message }) => ({
      ...message,
      ...(findings && citations ? { findings: [...findings], citations: [...citations] } : {}),
    })),
  }
})
