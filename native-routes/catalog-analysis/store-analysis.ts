import type { Analysis } from '#contracts/catalog-analysis.ts'
import { ApiError } from '#contracts/errors.ts'
import type { Queryable } from '#db/client/connection.ts'
import { newId } from '#db/new-id.ts'
import {
  insertAnalysisMessages,
  insertAnalysisThread,
  type ThreadScope,
  updateMessageCountOfThread,
} from '#db/queries/catalog-analysis/analysis-threads.ts'
import { updateUsageOf } from '#db/queries/catalog-analysis/analysis-usage.ts'
import type { Ports } from '../ports.ts'
import type { ReservedQuestion } from './reserve-question.ts'

/** A new thread already has an id, but is not stored yet. */
export interface Question {
  readonly text: string
  readonly threadId: string
  readonly isNewThread: boolean
  readonly scope: ThreadScope
  readonly reserved: ReservedQuestion
  readonly askedAt: Date
}

type Result = Omit<Analysis, 'threadId' | 'messageId' | 'createdAt'>

const messagesPerQuestion = 2
const maxTitleLength = 80

const createTitle = (question: string) =>
  Array.from(question.replace(/\s+/g, ' ')).slice(0, maxTitleLength).join('')

/** Throws if the thread was deleted meanwhile. */
const extendThread = async (tx: Queryable, question: Question, updatedAt: string) => {
  const { threadId: id, isNewThread, scope, text, askedAt } = question
  if (isNewThread) {
    await insertAnalysisThread(tx, {
      id,
      accountId: scope.accountId,
      title: createTitle(text),
      messageCount: messagesPerQuestion,
      createdAt: askedAt.toISOString(),
      updatedAt,
    })
    return messagesPerQuestion
  }
  const count = await updateMessageCountOfThread(tx, id, scope, { added: messagesPerQuestion, updatedAt })
  if (count === null) throw new ApiError('analysis_thread_not_found')
  return count
}

export const storeAnalysis = (
  question: Question,
  { answer, findings, citations, model, usage }: Result,
  { db, clock }: Pick<Ports, 'db' | 'clock'>,
): Promise<Analysis> =>
  db.tx(async (tx) => {
    const { threadId, text, askedAt, reserved } = question
    const createdAt = clock.now().toISOString()
    const position = await extendThread(tx, question, createdAt)
    const messageId = newId()
    await insertAnalysisMessages(tx, [
      {
        id: newId(),
        threadId,
        position: position - 1,
        role: 'user' as const,
        text,
        findings: null,
        citations: null,
        createdAt: askedAt.toISOString(),
      },
      {
        id: messageId,
        threadId,
        position,
        role: 'assistant' as const,
        text: answer,
        findings,
        citations,
        createdAt,
      },
    ])
    const tokens = usage.inputTokens + usage.outputTokens
    const { reservedTokens } = reserved
    if (reservedTokens > 0) await updateUsageOf(tx, reserved, { reservedTokens, tokens, refunded: 0 })
    return { threadId, messageId, answer, findings, citations, model, usage, createdAt }
  })
