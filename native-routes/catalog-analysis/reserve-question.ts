import { ApiError } from '#contracts/errors.ts'
import { reserveQuestionOf, type UsageDay } from '#db/queries/analysis-usage.ts'
import type { Actor, Entitlement, Ports } from '../ports.ts'

const dayMs = 86_400_000

/** One question that counts against the limits of a day, and the tokens that are left of them. */
export interface ReservedQuestion extends UsageDay {
  readonly tokensLeft: number
}

const secondsUntilNextDay = (now: Date) => Math.ceil((dayMs - (now.valueOf() % dayMs)) / 1000)

/**
 * Reserves a question before anything is done for it, so that concurrent requests cannot exceed the limit. Throws
 * `analysis_rate_limited` if the questions or the tokens of the day are used up.
 */
export const reserveQuestion = async (
  { accountId }: Actor,
  { limit }: Entitlement,
  { db, clock, analysisLimits }: Pick<Ports, 'db' | 'clock' | 'analysisLimits'>,
): Promise<ReservedQuestion> => {
  const now = clock.now()
  const usage = { accountId, day: now.toISOString().slice(0, 10) }
  const { questionsPerDay, tokensPerDay } = analysisLimits
  const limits = { questions: Math.min(questionsPerDay, limit ?? questionsPerDay), tokens: tokensPerDay }
  const usedTokens = await db.tx((tx) => reserveQuestionOf(tx, usage, limits))
  if (usedTokens === null)
    throw new ApiError(
      'analysis_rate_limited',
      {},
      { headers: { 'retry-after': String(secondsUntilNextDay(now)) } },
    )
  return { ...usage, tokensLeft: tokensPerDay - usedTokens }
}
