import { insertEngagementEvent } from '#db/queries/engagement-events.ts'
import type { DatabasePort, EventPort } from '#native-routes/ports.ts'

/** Keeps events in the service's own database. */
export const createPostgresEvents = (db: Pick<DatabasePort, 'tx'>): EventPort => ({
  record: (event) => db.tx((tx) => insertEngagementEvent(tx, event)),
})
