import type { Reader } from '#db/client/connection.ts'
import { createStripeBilling } from '#gateway/adapters/billing-stripe/billing-stripe.ts'
import { type BillingVariables, readBillingOptions } from '#gateway/settings/billing.ts'
import type { ReconciliationPort } from '#jobs/ports.ts'
import { compareAccount, reconcileAccount } from '#native-routes/billing/reconcile-account.ts'
import type { DatabasePort, LogPort } from '#native-routes/ports.ts'

const createBilling = (settings: BillingVariables) => {
  // Nothing here opens a hosted page, so this URL is never used.
  const unusedOrigin = () => 'http://localhost'
  return createStripeBilling(readBillingOptions(settings, unusedOrigin))
}

export const createReconciliationPort = (
  settings: BillingVariables,
  db: DatabasePort,
  log: LogPort,
): ReconciliationPort | null => {
  const billing = createBilling(settings)
  if (!billing.connect()) return null
  return {
    reconcile: async (accountId) => {
      const provider = billing.connect()
      return provider && reconcileAccount(accountId, provider, { db, log })
    },
  }
}

/** It can read from the database and the provider, but cannot write to either. */
export const createComparison = (settings: BillingVariables, read: Reader) => {
  const billing = createBilling(settings)
  return async (accountId: string) => {
    const provider = billing.connect()
    return provider && compareAccount(accountId, provider, read)
  }
}
