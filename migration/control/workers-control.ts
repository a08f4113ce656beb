import { waitUntil } from 'cloudflare:workers'
import type { Label } from '#contracts/route-table.ts'
import { openDatabase } from '#db/client/connection.ts'
import type { Log } from '#gateway/observability/log.ts'
import type { RouteControl } from '#gateway/request/route-control.ts'
import type { ProductionSettings, Settings } from '#gateway/settings/settings.ts'
import { unmeasuredDatabase } from '../model/stop/database-health.ts'
import { createNativeGuard } from './guard.ts'
import { observeRouting } from './observe-routing.ts'
import { readChangedRouting } from './read-stored-routing.ts'
import { createRequestRefresh } from './refresh-on-request.ts'
import { createRoutingState, type StoredRouting } from './routing-state.ts'

// Requests wait for an outdated routing state, but for at most a second.
const connectTimeoutMs = 1000
// There may be many overrides.
const readTimeoutMs = 5000

// An isolate writes nothing. It keeps its known state until a gateway on Node has stored its stops.
const rejectOlder = async () => {
  throw new Error(
    'the database was restored from a backup that is older than the routing state of this isolate',
  )
}

// Requests read the routing state, so each read has its own connections.
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
 * Creates an isolate's route control. It reads stored states within five seconds, protects users of failing routes by
 * what the isolate itself observes, and writes nothing. `handled` are the labels with a native handler.
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
