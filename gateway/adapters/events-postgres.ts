import type { Database } from '#db/client/connection.ts'
import { insertEngagementEvents, serializeEngagementEvent } from '#db/queries/engagement-events.ts'
import type { VisitorPseudonyms } from '#db/visitor-pseudonyms.ts'
import type { EventStore } from './event-queue.ts'

interface EventParts {
  readonly db: Database['db']
  readonly pseudonymsOf: VisitorPseudonyms
}

/** Keeps events in the service's own database, with visitors and sessions under their pseudonyms. */
export const createPostgresEvents = ({ db, pseudonymsOf }: EventParts): EventStore => ({
  serialize: (event) => serializeEngagementEvent({ ...event, ...pseudonymsOf(event) }),
  write: (events) => insertEngagementEvents(db, events),
})
