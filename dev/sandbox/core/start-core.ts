import { randomBytes } from 'node:crypto'
import { createVisitorPseudonyms } from '#db/hashes.ts'
import { demoPlans } from '../demo-plans.ts'
import { areas, trackAreas } from './areas.ts'
import { type AuthSettings, createAuthenticate } from './authenticate.ts'
import { type BillingProviderSettings, createBillingProvider } from './billing-provider.ts'
import { createApp } from './create-app.ts'
import { connect } from './database.ts'
import { createEventRecorder } from './engagement.ts'
import type { Plan } from './entitlements.ts'
import { createMailer, type EmailSettings } from './mailer.ts'
import { defaultLimits, type MediaLimits } from './media-limits.ts'
import { createObjectStorage, type StorageSettings } from './object-storage.ts'
import { defaultQuotas, type Quotas } from './quotas.ts'
import { defaultRates, type Rates } from './rate-limit.ts'

export interface CoreSettings extends AuthSettings {
  readonly databaseUrl: string
  /** The database's trusted certificates as PEM; null for Node's own. */
  readonly databaseCa?: string | null
  readonly port?: number
  readonly plans?: readonly Plan[]
  /** If unset, routes that sign URLs for files return 500. */
  readonly storage?: StorageSettings | null
  readonly limits?: Partial<MediaLimits>
  readonly quotas?: Partial<Quotas>
  readonly rates?: Partial<Rates>
  readonly publicBaseUrl?: string | null
  readonly offersAnalysis?: boolean
  /** If unset, invitations stay queued. */
  readonly email?: EmailSettings | null
  readonly billing?: BillingProviderSettings | null
  readonly appOrigin?: string | null
  /** The key for visitor pseudonyms, which must equal the gateway's. Defaults to a random key per process. */
  readonly visitorSecret?: string | undefined
  readonly logLevel?: string
}

interface SandboxCore {
  readonly url: string
  /** Finishes requests in progress, then closes the connections to clients and the database. */
  readonly close: () => Promise<void>
}

/**
 * Starts the legacy core on loopback. It does not wait for the database, and returns 503 while the database is down.
 */
export const startSandboxCore = async (settings: CoreSettings): Promise<SandboxCore> => {
  const sql = connect(settings.databaseUrl, settings.databaseCa ?? null)
  const { visitorSecret = randomBytes(32).toString('base64url') } = settings
  const app = createApp({
    sql,
    authenticate: createAuthenticate(settings),
    plans: settings.plans ?? demoPlans,
    storage: createObjectStorage(settings.storage ?? null),
    limits: { ...defaultLimits, ...settings.limits },
    quotas: { ...defaultQuotas, ...settings.quotas },
    rates: { ...defaultRates, ...settings.rates },
    publicBaseUrl: settings.publicBaseUrl ?? null,
    offersAnalysis: settings.offersAnalysis ?? false,
    mail: createMailer(settings.email ?? null),
    billing: settings.billing ? createBillingProvider(settings.billing) : null,
    appOrigin: settings.appOrigin ?? null,
    recordEvent: createEventRecorder({ sql, pseudonymsOf: createVisitorPseudonyms(visitorSecret) }),
    areas,
    trackAreas,
    logLevel: settings.logLevel ?? 'error',
  })
  const url = await app.listen({ host: '127.0.0.1', port: settings.port ?? 0 })
  return {
    url,
    close: async () => {
      await app.close()
      await sql.end({ timeout: 5 })
    },
  }
}
