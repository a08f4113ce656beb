import type { Database } from '#db/connection.ts'
import type { DatabasePort, Ports } from '#native-routes/ports.ts'
import { createPlanEntitlements } from './adapters/entitlements-plans.ts'
import type { Log } from './log.ts'
import type { Plan } from './settings.ts'

/** The ports over one open database; on Workers that is one request's, on Node the process's. */
export const createPorts = ({ db: database }: Database, plans: readonly Plan[], log: Log): Ports => {
  const db: DatabasePort = { read: database, tx: (work) => database.transaction(work) }
  return {
    db,
    entitlements: createPlanEntitlements(plans, db),
    effects: { external: (call) => call() },
    clock: { now: () => new Date() },
    log,
  }
}
