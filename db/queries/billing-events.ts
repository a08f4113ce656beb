import { and, eq, ne, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../connection.ts'
import { prepared } from '../prepared.ts'
import { billingEvents } from '../schema/billing.ts'

type NewBillingEvent = Omit<typeof billingEvents.$inferInsert, 'receivedAt'>
export type BillingEventOutcome = NewBillingEvent['outcome']

const settledEvent = prepared((db) =>
  db
    .select({ id: billingEvents.id })
    .from(billingEvents)
    .where(
      and(eq(billingEvents.id, sql.placeholder('eventId')), ne(billingEvents.outcome, 'unresolved_owner')),
    )
    .prepare('settled_billing_event'),
)

/** Whether an event was taken in for good; one whose owner was not found may be taken in again. */
export const isBillingEventSettled = async (db: Reader, eventId: string) =>
  (await settledEvent(db).execute({ eventId })).length > 0

/** False when the event was settled before. A delivery of the same event elsewhere is waited for. */
export const insertBillingEvent = async (tx: Queryable, event: NewBillingEvent) => {
  const { outcome, accountId = null } = event
  const kept = await tx
    .insert(billingEvents)
    .values(event)
    .onConflictDoUpdate({
      target: billingEvents.id,
      set: { outcome, accountId },
      setWhere: eq(billingEvents.outcome, 'unresolved_owner'),
    })
    .returning({ id: billingEvents.id })
  return kept.length > 0
}

export const updateBillingEventOutcome = async (
  tx: Queryable,
  eventId: string,
  outcome: BillingEventOutcome,
) => {
  await tx.update(billingEvents).set({ outcome }).where(eq(billingEvents.id, eventId))
}
