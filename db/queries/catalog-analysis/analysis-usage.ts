import { and, eq, lt, sql } from 'drizzle-orm'
import type { Queryable } from '../../client/connection.ts'
import { analysisUsage } from '../../schema/analysis-threads.ts'

export interface UsageDay {
  readonly accountId: string
  readonly day: string
}

interface DailyLimits {
  readonly questions: number
  readonly tokens: number
}

const isUsageOf = ({ accountId, day }: UsageDay) =>
  and(eq(analysisUsage.accountId, accountId), eq(analysisUsage.day, day))

/**
 * Reserves one question and some tokens atomically, so that instances together cannot exceed the limits. Returns the
 * tokens that were already used or reserved; null if the day's questions or tokens are used up.
 */
export const reserveQuestionOf = async (
  tx: Queryable,
  { accountId, day }: UsageDay,
  { questions, tokens }: DailyLimits,
  reservedTokens: number,
) => {
  if (questions < 1) return null
  const [reserved] = await tx
    .insert(analysisUsage)
    .values({ accountId, day, questions: 1, tokens: reservedTokens })
    .onConflictDoUpdate({
      target: [analysisUsage.accountId, analysisUsage.day],
      set: {
        questions: sql`${analysisUsage.questions} + 1`,
        tokens: sql`${analysisUsage.tokens} + ${reservedTokens}`,
      },
      setWhere: sql`${analysisUsage.questions} < ${questions} and ${analysisUsage.tokens} < ${tokens}`,
    })
    .returning({ tokens: analysisUsage.tokens })
  return reserved ? reserved.tokens - reservedTokens : null
}

export const updateUsageOf = async (
  tx: Queryable,
  usage: UsageDay,
  change: { readonly reservedTokens: number; readonly tokens: number; readonly refunded: number },
) => {
  await tx
    .update(analysisUsage)
    .set({
      tokens: sql`greatest(0, ${analysisUsage.tokens} - ${change.reservedTokens} + ${change.tokens})`,
      questions: sql`greatest(0, ${analysisUsage.questions} - ${change.refunded})`,
    })
    .where(isUsageOf(usage))
}

export const deleteUsageBefore = async (tx: Queryable, day: string) => {
  await tx.delete(analysisUsage).where(lt(analysisUsage.day, day))
}
