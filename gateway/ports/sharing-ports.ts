import type { Database } from '#db/client/connection.ts'
import { createKeyedHash, createVisitorPseudonyms } from '#db/hashes.ts'
import type { AccessCodeState } from '../adapters/access-codes-scrypt/access-code-state.ts'
import { createScryptAccessCodes } from '../adapters/access-codes-scrypt/access-codes-scrypt.ts'
import { createEventQueue } from '../adapters/event-queue.ts'
import { createPostgresEvents } from '../adapters/events-postgres.ts'
import type { Log } from '../observability/log.ts'
import type { Metrics } from '../observability/metrics.ts'
import { createLimits, type LimitStore } from '../rate-limits/create-limits.ts'
import type { LimitState } from '../rate-limits/limit-state.ts'
import { createPostgresLimitStore } from '../rate-limits/rate-limit-postgres.ts'
import { readRates } from '../settings/rate-limits.ts'
import type { Settings } from '../settings/settings.ts'

interface SharingDependencies {
  readonly database: Database
  readonly settings: Settings
  readonly log: Log
  readonly metrics: Metrics
  readonly state: { readonly codes: AccessCodeState; readonly limits: LimitState }
  readonly limitStore?: LimitStore
}

/** Close `events` before the database, because closing writes queued events. */
export const createSharingPorts = ({
  database,
  settings,
  log,
  metrics,
  state,
  limitStore = createPostgresLimitStore(database.db),
}: SharingDependencies) => {
  // Each hash includes its purpose. Changing a purpose discards the counters stored for it.
  const hashOf = (purpose: string) => createKeyedHash(settings.GATEWAY_SECRET, purpose)
  const limits = createLimits({
    store: limitStore,
    rates: readRates(settings),
    hash: hashOf('limits'),
    state: state.limits,
    log,
  })
  return {
    limits,
    accessCodes: createScryptAccessCodes({
      limits,
      database,
      log,
      hash: hashOf('access codes'),
      state: state.codes,
    }),
    events: createEventQueue({
      store: createPostgresEvents({
        db: database.db,
        pseudonymsOf: createVisitorPseudonyms(settings.GATEWAY_SECRET),
      }),
      onDropped: metrics.countDroppedEvents,
      log,
    }),
  }
}

export type SharingPorts = ReturnType<typeof createSharingPorts>
