import type { Database } from '#db/client/connection.ts'
import { createDatabasePort } from '#db/client/drizzle.ts'
import { matchesHash } from '#gateway/adapters/access-codes-scrypt/access-codes-scrypt.ts'
import { createStripeBilling } from '#gateway/adapters/billing-stripe/billing-stripe.ts'
import { createPlanEntitlements } from '#gateway/adapters/entitlements-plans.ts'
import { createS3ObjectStorage } from '#gateway/adapters/object-storage-s3.ts'
import { readBillingOptions } from '#gateway/settings/billing.ts'
import { readEmailOptions } from '#gateway/settings/email.ts'
import { readMediaPolicy, readStorageOptions } from '#gateway/settings/media.ts'
import { readAnalysisLimits } from '#gateway/settings/model.ts'
import { readQuotas } from '#gateway/settings/quotas.ts'
import type { Settings } from '#gateway/settings/settings.ts'
import type { Ports } from '#native-routes/ports.ts'

export class ShadowEffectError extends Error {
  override name = 'ShadowEffectError'
}

/** Thrown when the response depends on a provider that a shadowed request must not call. */
class NotComparableError extends Error {
  override name = 'NotComparable'
}

export type ShadowError = ShadowEffectError | NotComparableError

/** Creates methods that throw. `onError` gets every error too, because a handler may catch it. */
const createRejections = (onError: (error: ShadowError) => void) => {
  const reject = (error: ShadowError): never => {
    onError(error)
    throw error
  }
  return {
    rejectEffect: (method: string) => async (): Promise<never> =>
      reject(new ShadowEffectError(`a shadowed request must not call ${method}`)),
    rejectProvider: (method: string) => async (): Promise<never> =>
      reject(new NotComparableError(`a shadowed request does not call ${method}`)),
  }
}

/** Has an entry for every port, so a new port does not compile until its behaviour in a shadowed request is defined. */
export type ShadowPorts<P = Ports> = { readonly [Name in keyof P]-?: P[Name] }

export type ShadowPortSettings = Parameters<typeof readBillingOptions>[0] &
  Parameters<typeof readEmailOptions>[0] &
  Parameters<typeof readMediaPolicy>[0] &
  Parameters<typeof readQuotas>[0] &
  Parameters<typeof readAnalysisLimits>[0] &
  Parameters<typeof readStorageOptions>[0] &
  Pick<Settings, 'LINKS_API_KEY'>

/** Creates a billing provider and a link provider whose methods throw. Each is null if it is not configured. */
const createShadowProviders = (
  settings: ShadowPortSettings,
  { rejectEffect, rejectProvider }: ReturnType<typeof createRejections>,
): Pick<ShadowPorts, 'billing' | 'links'> => {
  const options = readBillingOptions(settings, () => '')
  const { availablePlanIds, parseEvent } = createStripeBilling(options)
  const provider = {
    createCustomer: rejectEffect('billing.createCustomer'),
    openCheckout: rejectEffect('billing.openCheckout'),
    expireEarlierCheckouts: rejectEffect('billing.expireEarlierCheckouts'),
    openPortal: rejectEffect('billing.openPortal'),
    findSubscription: rejectProvider('billing.findSubscription'),
    listSubscriptions: rejectProvider('billing.listSubscriptions'),
    changePlan: rejectEffect('billing.changePlan'),
    cancelAtPeriodEnd: rejectEffect('billing.cancelAtPeriodEnd'),
    resume: rejectEffect('billing.resume'),
    cancelNow: rejectEffect('billing.cancelNow'),
  }
  const tracking = {
    create: rejectEffect('links.create'),
    reset: rejectEffect('links.reset'),
    countClicks: rejectProvider('links.countClicks'),
  }
  return {
    billing: {
      availablePlanIds,
      parseEvent,
      connect: () => (options.secretKey === undefined ? null : provider),
    },
    links: { tracking: settings.LINKS_API_KEY === undefined ? null : tracking },
  }
}

const doNothing = async () => undefined

/**
 * Creates the ports for one shadowed request. They change nothing. Effects throw a `ShadowEffectError`, provider calls
 * a `NotComparableError`; both are also passed to `onError`. Events and log lines are dropped. Limits allow everything,
 * and access codes are checked without counting attempts, because no client sees the response.
 */
export const createShadowPorts = (
  database: Database,
  settings: ShadowPortSettings,
  publicBaseUrl: string,
  onError: (error: ShadowError) => void,
): ShadowPorts => {
  if (!database.isReadOnly) throw new Error('shadowed requests need a database opened with readOnly')
  const rejections = createRejections(onError)
  const { rejectEffect, rejectProvider } = rejections
  const { read, readWithLockTimeout } = createDatabasePort(database)
  const { presignGet, presignPut } = createS3ObjectStorage(readStorageOptions(settings))
  const { find } = createPlanEntitlements(readBillingOptions(settings, () => '').plans, { read })
  return {
    db: { read, readWithLockTimeout, tx: rejectEffect('db.tx') },
    retries: { once: rejectEffect('retries.once') },
    entitlements: { find, findLocked: rejectEffect('entitlements.findLocked') },
    storage: {
      presignGet,
      presignPut,
      find: rejectProvider('storage.find'),
      copy: rejectEffect('storage.copy'),
      remove: rejectEffect('storage.remove'),
    },
    media: readMediaPolicy(settings, () => publicBaseUrl),
    quotas: readQuotas(settings),
    email: { isConfigured: readEmailOptions(settings) !== null },
    events: { record: doNothing },
    limits: { reserve: async () => doNothing },
    accessCodes: {
      isCorrect: (code, gate) => matchesHash(code, gate.hash),
      hash: rejectEffect('accessCodes.hash'),
    },
    ...createShadowProviders(settings, rejections),
    deliveries: { requireSignature: () => rejectEffect('deliveries.requireSignature') },
    analysisLimits: readAnalysisLimits(settings),
    // No GET analyses a catalogue or asks a model.
    analysisSlots: { run: rejectEffect('analysisSlots.run') },
    model: null,
    clock: { now: () => new Date() },
    log: { warn: () => undefined },
  }
}
