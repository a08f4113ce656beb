import type { Database } from '#db/connection.ts'
import { insertEngagementEvents } from '#db/queries/engagement-events.ts'
import type { VisitorPseudonyms } from '#db/visitor-pseudonyms.ts'
import type { QueuedEvent } from '../event-queue.ts'

interface EventParts {
  readonly db: Database['db']
  readonly pseudonymsOf: VisitorPseudonyms
}

/** Writes events to the service's own database, with visitors and sessions under their pseudonyms. */
export const createPostgresEvents =
  ({ db, pseudonymsOf }: EventParts) =>
  (events: readonly QueuedEvent[]) =>
    insertEngagementEvents(
      db,
      events.map((event) => ({ ...event, ...pseudonymsOf(event) })),
    )
