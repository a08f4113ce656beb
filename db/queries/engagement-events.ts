import type { Queryable } from '../connection.ts'
import { newId } from '../new-id.ts'
import { engagementEvents } from '../schema/engagement-events.ts'
import { changedNow } from './changed-now.ts'

type NewEvent = Omit<typeof engagementEvents.$inferInsert, 'id' | 'occurredAt'>

export const insertEngagementEvent = async (tx: Queryable, event: NewEvent) => {
  await tx.insert(engagementEvents).values({ id: newId(), occurredAt: changedNow, ...event })
}
