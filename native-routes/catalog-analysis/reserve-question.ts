import { ApiError } from '#contracts/errors.ts'
import { reserveQuestionOf, type UsageDay } from '#db/queries/catalog-analysis/analysis-usage.ts'
import type { Actor, Entitlement, Ports } from '../ports.ts'

const dayMs = 86_400_000

/** One question that counts against the limits of a day. */
export interface ReservedQuestion extends UsageDay {
  /** What the model may use. */
  readonly tokens: number
  /** What counts as used until the question has ended; 0 if there is no model. */
  readonly reservedTokens: number
}

const secondsUntilNextDay = (now: Date) => Math.ceil((dayMs - (now.valueOf() % dayMs)) / 1000)

/**
 * Reserves a question and its tokens before anything is done for it, so concurrent requests cannot exceed the limits.
 * A process that is killed leaves them reserved. Throws `analysis_rate_limited` if the questions or the tokens of the day
 * are used up.
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
