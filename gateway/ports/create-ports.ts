import type { Database } from '#db/client/connection.ts'
import type { ModelPort } from '#native-routes/catalog-analysis/ports.ts'
import type { LinkPort } from '#native-routes/link-tracking.ts'
import type { Ports } from '#native-routes/ports.ts'
import { createAnalysisSlots } from '../adapters/analysis-slots-memory.ts'
import { createStripeBilling } from '../adapters/billing-stripe/billing-stripe.ts'
import { createPlanEntitlements } from '../adapters/entitlements-plans.ts'
import { createDubLinks } from '../adapters/link-tracking-dub.ts'
import { createS3ObjectStorage } from '../adapters/object-storage-s3.ts'
import { createDeliveryPort } from '../adapters/webhook-signatures.ts'
import type { Log } from '../observability/log.ts'
import { readBillingOptions } from '../settings/billing.ts'
import { readEmailOptions } from '../settings/email.ts'
import { readLinkOptions } from '../settings/links.ts'
import { readMediaPolicy, readStorageOptions } from '../settings/media.ts'
import { readAnalysisLimits } from '../settings/model.ts'
import { readQuotas } from '../settings/quotas.ts'
import type { Settings } from '../settings/settings.ts'
import { createDatabasePort } from './database-port.ts'
import type { SharingPorts } from './sharing-ports.ts'

const createLinkPort = (settings: Settings, appOrigin: () => string): LinkPort => {
  const options = readLinkOptions(settings)
  return { tracking: options && createDubLinks(Object.assign(options, { appOrigin })) }
}

export const createPorts = (
  database: Database,
  settings: Settings,
  log: Log,
  publicBaseUrl: () => string,
  sharing: SharingPorts,
  model: ModelPort | null,
): Ports => {
  const db = createDatabasePort(database)
  const appOrigin = () => settings.APP_ORIGIN ?? publicBaseUrl()
  const billing = readBillingOptions(settings, appOrigin)
  return {
    db,
    retries: { once: (_, compute) => compute() },
    entitlements: createPlanEntitlements(billing.plans, db),
    storage: createS3ObjectStorage(readStorageOptions(settings)),
    media: readMediaPolicy(settings, publicBaseUrl),
    quotas: readQuotas(settings),
    email: { isConfigured: readEmailOptions(settings) !== null },
    ...sharing,
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
