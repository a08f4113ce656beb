import type { NewRow, Queryable } from '../../client/connection.ts'
import { linkEvents } from '../../schema/webhooks.ts'

/** Returns false if an event with this `providerEventId` is already stored. */
export const insertLinkEvent = async (tx: Queryable, event: NewRow<typeof linkEvents>) => {
  const inserted = await tx
    .insert(linkEvents)
    .values(event)
    .onConflictDoNothing()
    .returning({ id: linkEvents.providerEventId })
  return inserted.length > 0
}
