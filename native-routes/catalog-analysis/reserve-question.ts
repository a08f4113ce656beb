import { ApiError } from '#contracts/errors.ts'
import { reserveQuestionOf, type UsageDay } from '#db/queries/catalog-analysis/analysis-usage.ts'
import { dayMs } from '#shared/durations.ts'
import type { Actor, Entitlement, Ports } from '../ports.ts'

export interface ReservedQuestion extends UsageDay {
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
