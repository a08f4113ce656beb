import { randomBytes } from 'node:crypto'
import { createVisitorPseudonyms } from '#db/hashes.ts'
import { areas, trackAreas } from './areas.ts'
import { createAuthenticate } from './authenticate.ts'
import { createBillingProvider } from './billing-provider.ts'
import { createApp } from './create-app.ts'
import { connect } from './database.ts'
import { createEventRecorder } from './engagement.ts'
import { createMailer } from './mailer.ts'
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
  const { BILLING_API_BASE: apiBase, BILLING_SECRET_KEY: secretKey } = settings
  const { GATEWAY_SECRET: visitorSecret = randomBytes(32).toString('base64url') } = settings
  const sql = connect(settings)
  const app = createApp({
    settings,
    sql,
    authenticate: createAuthenticate(settings),
    storage: createObjectStorage(settings.storage),
    mail: createMailer(settings),
    billing: apiBase && secretKey ? createBillingProvider(apiBase, secretKey) : null,
    recordEvent: createEventRecorder({ sql, pseudonymsOf: createVisitorPseudonyms(visitorSecret) }),
    areas,
    trackAreas,
  })
  const url = await app.listen({ host: '127.0.0.1', port: settings.CORE_PORT })
  return {
    url,
    close: async () => {
      await app.close()
      await sql.end({ timeout: 5 })
    },
  }
}
