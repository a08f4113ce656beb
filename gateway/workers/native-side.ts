import { openDatabase } from '#db/client/connection.ts'
import { handlers } from '#native-routes/index.ts'
import { createNativeSide } from '../pipeline/serve-native.ts'
import { createPorts } from '../ports/create-ports.ts'
import { createSharingPorts } from '../ports/sharing-ports.ts'
import type { Isolate } from './open-isolate.ts'

// The runtime limits connections per request, and the core may need one.
const connectionsPerRequest = 3

/** Imported on demand, so an isolate can forward requests before it has loaded this code. */
export const openNativeSide = (isolate: Isolate) => {
  const { settings, log, metrics, sharingState: state } = isolate
  const publicBaseUrl = () => settings.PUBLIC_BASE_URL
  const database = openDatabase(settings.DATABASE_URL, {
    ca: settings.DATABASE_CA,
    prepare: settings.DATABASE_PREPARE,
    connections: connectionsPerRequest,
  })
  const sharing = createSharingPorts({ database, settings, log, metrics, state })
  return {
    native: createNativeSide(handlers, isolate.nativeDependencies),
    ports: createPorts(database, settings, log, publicBaseUrl, sharing, null),
    close: async () => {
      try {
        await Promise.all([sharing.events.close(), sharing.limits.refundIdleUses()])
      } finally {
        await database.close()
      }
    },
  }
}
