import { openDatabase } from '#db/client/connection.ts'
import { handlers } from '#native-routes/index.ts'
import { createPorts } from '../adapters/create-ports.ts'
import { createNativeSide } from '../pipeline/serve-native.ts'
import type { Isolate } from './open-isolate.ts'

// The runtime limits connections per request, and the core may need one.
const connectionsPerRequest = 3

/** Imported on demand, so an isolate can forward requests before it has loaded this code. */
export const openNativeSide = (isolate: Isolate) => {
  const { settings, log, metrics, portState: state } = isolate
  const database = openDatabase(settings.DATABASE_URL, {
    ca: settings.DATABASE_CA,
    prepare: settings.DATABASE_PREPARE,
    connections: connectionsPerRequest,
  })
  const publicBaseUrl = () => settings.PUBLIC_BASE_URL
  const ports = createPorts({ database, settings, log, metrics, state, publicBaseUrl })
  return {
    native: createNativeSide(handlers, isolate.nativeDependencies),
    ports,
    close: async () => {
      try {
        await Promise.all([ports.events.close(), ports.limits.refundIdleUses()])
      } finally {
        await database.close()
      }
    },
  }
}
