import { eq, isNull, lt, sql } from 'drizzle-orm'
import type { Queryable } from '../../client/connection.ts'
import { billingReconciliations } from '../../schema/billing.ts'

const isAbandoned = sql`${isNull(billingReconciliations.finishedAt)} and ${lt(
  billingReconciliations.startedAt,
  sql`now() - interval '1 hour'`,
)}`

/** Returns false if another worker is running it or has finished it. */
export const acquireReconciliation = async (tx: Queryable, day: string) => {
  const acquired = await tx
    .insert(billingReconciliations)
    .values({ day, finishedAt: null })
    .onConflictDoUpdate({
      target: billingReconciliations.day,
      set: { startedAt: sql`now()` },
      setWhere: isAbandoned,
    })
    .returning({ day: billingReconciliations.day })
  return acquired.length > 0
}

export const finishReconciliation = async (
  tx: Queryable,
  day: string,
  counts: { readonly checked: number; readonly repaired: number },
) => {
  await tx
    .update(billingReconciliations)
    .set({ ...counts, finishedAt: sql`now()` })
    .where(eq(billingReconciliations.day, day))
}
