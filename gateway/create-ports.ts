import type { Database } from '#db/connection.ts'
import type { DatabasePort, Ports } from '#native-routes/ports.ts'
import { createPlanEntitlements } from './adapters/entitlements-plans.ts'
import { createPostgresEvents } from './adapters/events-postgres.ts'
import type { Log } from './log.ts'
import { mediaPolicyOf, openObjectStorage } from './media-settings.ts'
import type { Settings } from './settings.ts'

/** The ports over one open database; on Workers that is one request's, on Node the process's. */
export const createPorts = (
  { db: database }: Database,
  settings: Settings,
  log: Log,
  publicBaseUrl: () => string,
): Ports => {
  const db: DatabasePort = { read: database, tx: (work) => database.transaction(work) }
  return {
    db,
    entitlements: createPlanEntitlements(settings.BILLING_PLANS, db),
    effects: { external: (call) => call() },
    storage: openObjectStorage(settings),
    media: mediaPolicyOf(settings, publicBaseUrl),
    events: createPostgresEvents(db),
    clock: { now: () => new Date() },
    log,
  }
}
