import { randomBytes } from 'node:crypto'
import { createVisitorPseudonyms } from '#db/hashes.ts'
import { areas, trackAreas } from './areas.ts'
import { createApp } from './create-app.ts'
import { connect } from './database.ts'
import { createEventRecorder } from './engagement.ts'
import { createObjectStorage } from './object-storage.ts'
import { readCoreSettings } from './settings.ts'

interface SandboxCore {
  readonly url: string
  readonly close: () => Promise<void>
}

/**
 * Starts the legacy core on loopback. It does not wait for the database, and returns 503 while the database is down.
 */
export const startSandboxCore = async (environment: NodeJS.ProcessEnv): Promise<SandboxCore> => {
  const settings = readCoreSettings(environment)
  const { GATEWAY_SECRET: visitorSecret = randomBytes(32).toString('base64url') } = settings
  const sql = connect(settings)
  const parts = {
    settings,
    sql,
    storage: createObjectStorage(settings.storage),
    recordEvent: createEventRecorder(sql, createVisitorPseudonyms(visitorSecret)),
  }
  const app = createApp(parts, areas, trackAreas)
  const url = await app.listen({ host: '127.0.0.1', port: settings.CORE_PORT })
  return {
    url,
    close: async () => {
      await app.close()
      await sql.end({ timeout: 5 })
    },
  }
}
