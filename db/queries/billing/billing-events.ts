import { and, eq, ne, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../../client/connection.ts'
import { preparedRead, preparedWrite } from '../../client/drizzle.ts'
import { billingEvents } from '../../schema/billing.ts'

type NewBillingEvent = Omit<typeof billingEvents.$inferInsert, 'receivedAt'>
export type BillingEventOutcome = NewBillingEvent['outcome']

const processedEvent = preparedRead((db) =>
  db
    .select({ id: billingEvents.id })
    .from(billingEvents)
    .where(
      and(eq(billingEvents.id, sql.placeholder('eventId')), ne(billingEvents.outcome, 'unresolved_owner')),
    )
    .prepare('processed_billing_event'),
)

/** An event whose owner could not be found does not count, so it can be processed again. */
export const isBillingEventProcessed = async (db: Reader, eventId: string) =>
  (await processedEvent(db).execute({ eventId })).length > 0

const insertedEvent = preparedWrite((db) =>
  db
    .insert(billingEvents)
    .values({
      id: sql.placeholder('id'),
      type: sql.placeholder('type'),
      occurredAt: sql.placeholder('occurredAt'),
      accountId: sql.placeholder('accountId'),
      outcome: sql.placeholder('outcome'),
    })
    .onConflictDoUpdate({
      target: billingEvents.id,
      set: { outcome: sql`excluded.outcome`, accountId: sql`excluded.account_id` },
      setWhere: eq(billingEvents.outcome, 'unresolved_owner'),
    })
    .returning({ id: billingEvents.id })
    .prepare('inserted_billing_event'),
)

/** Waits for any concurrent transaction with the same event. */
export const insertBillingEvent = async (tx: Queryable, event: NewBillingEvent) => {
  const inserted = await insertedEvent(tx).execute({ ...event, accountId: event.accountId ?? null })
  return inserted.length > 0
}

export const updateBillingEventOutcome = async (
  tx: Queryable,
  eventId: string,
  outcome: BillingEventOutcome,
) => {
  await tx.update(billingEvents).set({ outcome }).where(eq(billingEvents.id, eventId))
}
