import type { Analysis, ask } from '#contracts/catalog-analysis.ts'
import { ApiError } from '#contracts/errors.ts'
import type { Queryable } from '#db/client/connection.ts'
import { newId } from '#db/new-id.ts'
import {
  insertAnalysisMessages,
  insertAnalysisThread,
  type ThreadScope,
  updateMessageCountOfThread,
} from '#db/queries/catalog-analysis/analysis-threads.ts'
import {
  reserveQuestionOf,
  type UsageDay,
  updateUsageOf,
} from '#db/queries/catalog-analysis/analysis-usage.ts'
import { describeError } from '#shared/describe-error.ts'
import { dayMs } from '#shared/durations.ts'
import type { EventOf } from '../define-stream.ts'
import type { Actor, Entitlement, Ports } from '../ports.ts'
import { askModel } from './ask-model.ts'
import { analyseCatalog } from './findings/analyse-catalog.ts'
import { keyOfFinding } from './findings/order-findings.ts'
import { writeAnswer } from './findings/write-answer.ts'
import type { PastMessage } from './model-prompt.ts'
import { type AnalysisSlotPort, ModelError } from './ports.ts'
import type { ToolScope } from './tools/define-tool.ts'

interface ReservedQuestion extends UsageDay {
  readonly tokens: number
  /** Counted as used until the question ends; 0 without a model. */
  readonly reservedTokens: number
}

const secondsUntilNextDay = (now: Date) => Math.ceil((dayMs - (now.valueOf() % dayMs)) / 1000)

/**
 * Reserves a question and its tokens before any work, so concurrent requests cannot exceed the limits. A killed process
 * leaves them reserved. Throws `analysis_rate_limited` if the day's questions or tokens are used up.
 */
export const reserveQuestion = async (
  { accountId }: Actor,
  { limit }: Entitlement,
  { db, clock, analysisLimits, model }: Pick<Ports, 'db' | 'clock' | 'analysisLimits' | 'model'>,
): Promise<ReservedQuestion> => {
  const now = clock.now()
  const usage = { accountId, day: now.toISOString().slice(0, 10) }
  const { questionsPerDay, tokensPerDay } = analysisLimits
  const limits = { questions: Math.min(questionsPerDay, limit ?? questionsPerDay), tokens: tokensPerDay }
  const reservedTokens = model === null ? 0 : analysisLimits.tokens
  const usedTokens = await db.tx((tx) => reserveQuestionOf(tx, usage, limits, reservedTokens))
  if (usedTokens === null)
    throw new ApiError(
      'analysis_rate_limited',
      {},
      { headers: { 'retry-after': String(secondsUntilNextDay(now)) } },
    )
  const tokens = Math.min(analysisLimits.tokens, tokensPerDay - usedTokens)
  return { ...usage, tokens, reservedTokens }
}

/** A new thread already has an id, but is not stored yet. */
interface Question {
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

const storeAnalysis = (
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

type AnalysisEvent = EventOf<typeof ask>
type AnalysisPorts = Pick<Ports, 'db' | 'clock' | 'analysisLimits' | 'analysisSlots' | 'model' | 'log'>

interface Usage {
  inputTokens: number
  outputTokens: number
  toolCalls: number
}

/** What the client already has of the model's answer. */
interface SentEvents {
  hasText: boolean
  readonly findings: Set<string>
}

interface AnalysisRun {
  readonly question: Question
  readonly history: readonly PastMessage[]
  readonly scope: ToolScope
  readonly usage: Usage
  readonly sent: SentEvents
  readonly signal: AbortSignal
}

/** Returns null if the answer must be written without the model. */
async function* tryModel(
  { question, history, scope, usage, sent, signal }: AnalysisRun,
  ports: AnalysisPorts,
) {
  const { model, analysisLimits, analysisSlots: slots, log } = ports
  if (model === null) return null
  const budget = { ...analysisLimits, tokens: question.reserved.tokens }
  const modelSignal = AbortSignal.any([signal, AbortSignal.timeout(analysisLimits.timeoutMs)])
  const asked = askModel(
    {
      question: question.text,
      history,
      scope: { ...scope, signal: modelSignal },
      slots,
      usage,
      budget,
      signal: modelSignal,
    },
    model,
  )
  try {
    for (let next = await asked.next(); ; next = await asked.next()) {
      if (next.done) {
        const { droppedCitations, ...answer } = next.value
        if (droppedCitations > 0) log.warn({ count: droppedCitations }, 'model citations dropped')
        return answer
      }
      if (next.value.event === 'delta') sent.hasText = true
      else sent.findings.add(keyOfFinding(next.value.data))
      yield next.value
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof ModelError)) throw error
    log.warn({ reason: error.reason, failure: describeError(error) }, 'model failed, using findings alone')
    return null
  } finally {
    await asked.return?.(undefined as never)
  }
}

async function* answerFromFindings({ question, scope, sent, signal }: AnalysisRun, slots: AnalysisSlotPort) {
  const analysis = await slots.run(scope.accountId, () => analyseCatalog(scope), signal)
  signal.throwIfAborted()
  const answer = writeAnswer(question.text, analysis)
  for (const finding of analysis.findings)
    if (!sent.findings.has(keyOfFinding(finding))) yield { event: 'finding', data: finding } as const
  // If the client already has text from the model, the last event replaces it.
  if (!sent.hasText) yield { event: 'delta', data: { text: answer } } as const
  return { answer, findings: [...analysis.findings], citations: [...analysis.citations] }
}

/** Counts what the model used towards the day's limits, even though the question failed or was cancelled. */
const recordFailure = async ({ question, usage, signal }: AnalysisRun, { db, log }: AnalysisPorts) => {
  const { reserved } = question
  const { reservedTokens } = reserved
  const tokens = usage.inputTokens + usage.outputTokens
  const refunded = signal.aborted || tokens > 0 ? 0 : 1
  try {
    await db.tx((tx) => updateUsageOf(tx, reserved, { reservedTokens, tokens, refunded }))
  } catch (error) {
    log.warn(
      { tokens, refunded, failure: describeError(error) },
      'failed to record the usage of a failed question',
    )
  }
}

/** Stores question, answer and usage together before the last event. */
export async function* answerQuestion(
  question: Question,
  history: readonly PastMessage[],
  ports: AnalysisPorts,
  signal: AbortSignal,
): AsyncGenerator<AnalysisEvent> {
  const { accountId } = question.reserved
  const scope = { accountId, db: ports.db.read, now: question.askedAt, signal }
  const usage = { inputTokens: 0, outputTokens: 0, toolCalls: 0 }
  const sent = { hasText: false, findings: new Set<string>() }
  const run = { question, history, scope, usage, sent, signal }
  let isStored = false
  try {
    const fromModel = yield* tryModel(run, ports)
    const result = fromModel ?? (yield* answerFromFindings(run, ports.analysisSlots))
    signal.throwIfAborted()
    const model = fromModel === null ? null : ('configured' as const)
    const analysis = await storeAnalysis(question, { ...result, model, usage }, ports)
    isStored = true
    yield { event: 'done', data: analysis }
  } finally {
    if (!isStored) await recordFailure(run, ports)
  }
}
