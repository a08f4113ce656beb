import type { Database } from '#db/connection.ts'
import { insertEngagementEvents } from '#db/queries/engagement-events.ts'
import type { QueuedEvent } from '../event-queue.ts'
import type { KeyedHash } from '../keyed-hash.ts'

/**
 * Writes events to the service's own database. What a page calls its visitor and session is kept as a hash that
 * differs from link to link: it tells visits of one link apart and nobody can be followed by it.
 */
export const createPostgresEvents =
  ({ db, hash }: { readonly db: Database['db']; readonly hash: KeyedHash }) =>
  (events: readonly QueuedEvent[]) => {
    const pseudonym = (kind: string, { linkId }: QueuedEvent, name: string | undefined) =>
      name === undefined ? null : hash(JSON.stringify([kind, linkId, name]))
    return insertEngagementEvents(
      db,
      events.map((event) => ({
        ...event,
        visitorId: pseudonym('visitor', event, event.visitorId),
        sessionId: pseudonym('session', event, event.sessionId),
      })),
    )
  }
