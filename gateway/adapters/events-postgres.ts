import type { Database } from '#db/client/connection.ts'
import type { VisitorPseudonyms } from '#db/hashes.ts'
import { insertEngagementEvents, serializeEngagementEvent } from '#db/queries/analytics/engagement-events.ts'
import type { EventStore } from './event-queue.ts'

interface PostgresEventOptions {
  readonly db: Database['db']
  readonly pseudonymsOf: VisitorPseudonyms
}

export const createPostgresEvents = ({ db, pseudonymsOf }: PostgresEventOptions): EventStore => ({
  serialize: (event) => serializeEngagementEvent({ ...event, ...pseudonymsOf(event) }),
  write: (events) => insertEngagementEvents(db, events),
})
