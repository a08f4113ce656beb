import type { Database } from '#db/client/connection.ts'
import { createDatabasePort } from '#db/client/drizzle.ts'
import { createKeyedHash, createVisitorPseudonyms } from '#db/hashes.ts'
import type { ModelPort } from '#native-routes/catalog-analysis/ports.ts'
import type { LinkPort } from '#native-routes/link-tracking.ts'
import type { Log } from '../observability/log.ts'
import type { Metrics } from '../observability/metrics.ts'
import { createLimits, type LimitStore } from '../rate-limits/create-limits.ts'
import type { LimitState } from '../rate-limits/limit-state.ts'
import { createPostgresLimitStore } from '../rate-limits/rate-limit-postgres.ts'
import { readBillingOptions } from '../settings/billing.ts'
import { readEmailOptions } from '../settings/email.ts'
import { readLinkOptions } from '../settings/links.ts'
import { readMediaPolicy, readStorageOptions } from '../settings/media.ts'
import { readAnalysisLimits } from '../settings/model.ts'
import { readQuotas } from '../settings/quotas.ts'
import { readRates } from '../settings/rate-limits.ts'
import type { Settings } from '../settings/settings.ts'
import type { AccessCodeState } from './access-codes-scrypt/access-code-state.ts'
import { createScryptAccessCodes } from './access-codes-scrypt/access-codes-scrypt.ts'
import { createAnalysisSlots } from './analysis-slots-memory.ts'
import { createStripeBilling } from './billing-stripe/billing-stripe.ts'
import { createPlanEntitlements } from './entitlements-plans.ts'
import { createEventQueue } from './event-queue.ts'
import { createPostgresEvents } from './events-postgres.ts'
import { createDubLinks } from './link-tracking-dub.ts'
import { createS3ObjectStorage } from './object-storage-s3.ts'
import { createDeliveryPort } from './webhook-signatures.ts'

const createLinkPort = (settings: Settings, appOrigin: () => string): LinkPort => {
  const options = readLinkOptions(settings)
  return { tracking: options && createDubLinks(Object.assign(options, { appOrigin })) }
}

interface PortOptions {
  readonly database: Database
  readonly settings: Settings
  readonly log: Log
  readonly metrics: Metrics
  /** Outlives the ports. On Workers, each request has its own ports. */
  readonly state: { readonly codes: AccessCodeState; readonly limits: LimitState }
  readonly limitStore?: LimitStore
  readonly model?: ModelPort | null
  readonly publicBaseUrl: () => string
}

/** Close `events` before the database, because closing writes queued events. */
export const createPorts = ({
  database,
  settings,
  log,
  metrics,
  state,
  limitStore = createPostgresLimitStore(database.db),
  model = null,
  publicBaseUrl,
}: PortOptions) => {
  const db = createDatabasePort(database)
  const appOrigin = () => settings.APP_ORIGIN ?? publicBaseUrl()
  const billing = readBillingOptions(settings, appOrigin)
  // Each hash includes its purpose. Changing a purpose discards the counters stored for it.
  const hashOf = (purpose: string) => createKeyedHash(settings.GATEWAY_SECRET, purpose)
  const rates = readRates(settings)
  const limits = createLimits({ store: limitStore, rates, hash: hashOf('limits'), state: state.limits, log })
  const pseudonymsOf = createVisitorPseudonyms(settings.GATEWAY_SECRET)
  return {
    db,
    retries: { once: <T>(_: unknown, compute: () => Promise<T>) => compute() },
    entitlements: createPlanEntitlements(billing.plans, db),
    storage: createS3ObjectStorage(readStorageOptions(settings)),
    media: readMediaPolicy(settings, publicBaseUrl),
    quotas: readQuotas(settings),
    email: { isConfigured: readEmailOptions(settings) !== null },
    limits,
    accessCodes: createScryptAccessCodes({
      limits,
      database,
      log,
      hash: hashOf('access codes'),
      state: state.codes,
    }),
    events: createEventQueue({
      store: createPostgresEvents({ db: database.db, pseudonymsOf }),
      onDropped: metrics.countDroppedEvents,
      log,
    }),
    billing: createStripeBilling(billing),
    links: createLinkPort(settings, appOrigin),
    deliveries: createDeliveryPort(settings),
    analysisLimits: readAnalysisLimits(settings),
    analysisSlots: createAnalysisSlots(),
    model,
    clock: { now: () => new Date() },
    log,
  }
}
