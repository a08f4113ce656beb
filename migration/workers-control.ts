import { waitUntil } from 'cloudflare:workers'
import type { Label } from '#contracts/route-table.ts'
import { openDatabase } from '#db/client/connection.ts'
import type { Log } from '#gateway/observability/log.ts'
import type { RouteControl } from '#gateway/request/route-control.ts'
import type { ProductionSettings, Settings } from '#gateway/settings/settings.ts'
import { createNativeGuard } from './control/guard.ts'
import { readChangedRouting } from './control/read-stored-routing.ts'
import { createRequestRefresh } from './control/refresh-on-request.ts'
import { createRoutingState, observeRouting, type StoredRouting } from './control/routing-state.ts'
import { unmeasuredDatabase } from './model/stop/database-health.ts'

// Short, because requests wait up to a second for an outdated routing state to be read again.
const connectTimeoutMs = 1000
// Longer, because there may be many overrides.
const readTimeoutMs = 5000

// An isolate writes nothing, so it keeps the state it knows until a gateway on Node has stored the kills, holds and
// stops that must stay.
const rejectOlder = async () => {
  throw new Error(
    'the database was restored from a backup that is older than the routing state of this isolate',
  )
}

// Each read has its own connections, because an isolate's requests cannot share them.
const createRoutingReader =
  ({ DATABASE_URL, DATABASE_CA: ca, DATABASE_PREPARE: prepare }: Settings, log: Log) =>
  async (previous: StoredRouting | null, mustRead: boolean) => {
    const database = openDatabase(DATABASE_URL, {
      ca,
      prepare,
      connections: 1,
      statementTimeoutMs: readTimeoutMs,
      connectTimeoutMs,
    })
    try {
      return await readChangedRouting({
        polled: database.reader,
        read: database.db,
        previous,
        mustRead,
        keepStops: rejectOlder,
        log,
      })
    } finally {
      waitUntil(database.close())
    }
  }

/**
 * Creates an isolate's route control. It adopts stored states within five seconds, protects users from failing routes
 * based on what the isolate itself observes, and writes nothing. `handled` lists the labels with a native handler.
 */
export const createWorkersControl = (
  settings: ProductionSettings,
  handled: readonly Label[],
  log: Log,
): RouteControl => {
  const routing = createRoutingState({ settings, handled, log })
  const guard = createNativeGuard({
    steps: new Map(),
    evidenceKeys: new Map(),
    stored: null,
    health: unmeasuredDatabase,
    log,
  })
  observeRouting({ settings, handled, routing, guard })
  return {
    current: routing.current,
    refreshed: createRequestRefresh({
      state: routing,
      read: createRoutingReader(settings, log),
      inBackground: waitUntil,
      log,
    }),
    mayTryNative: guard.mayTryNative,
    listUntried: guard.listUntried,
    settled: guard.settled,
    ended: () => {},
    close: async () => guard.close(),
  }
}
