import { and, eq, ne, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../../client/connection.ts'
import { billingEvents } from '../../schema/billing.ts'

type NewBillingEvent = Omit<typeof billingEvents.$inferInsert, 'receivedAt'>
export type BillingEventOutcome = NewBillingEvent['outcome']

/** An event whose owner could not be found does not count, so it can be processed again. */
export const isBillingEventProcessed = async (db: Reader, eventId: string) => {
  const processed = await db
    .select({ id: billingEvents.id })
    .from(billingEvents)
    .where(and(eq(billingEvents.id, eventId), ne(billingEvents.outcome, 'unresolved_owner')))
  return processed.length > 0
}

/** Waits for any concurrent transaction with the same event. */
export const insertBillingEvent = async (tx: Queryable, event: NewBillingEvent) => {
  const inserted = await tx
    .insert(billingEvents)
    .values({ ...event, accountId: event.accountId ?? null })
    .onConflictDoUpdate({
      target: billingEvents.id,
      set: { outcome: sql`excluded.outcome`, accountId: sql`excluded.account_id` },
      setWhere: eq(billingEvents.outcome, 'unresolved_owner'),
    })
    .returning({ id: billingEvents.id })
  return inserted.length > 0
}

export const updateBillingEventOutcome = async (
  tx: Queryable,
  eventId: string,
  outcome: BillingEventOutcome,
) => {
  await tx.update(billingEvents).set({ outcome }).where(eq(billingEvents.id, eventId))
}
