import type { ReconciliationPort } from '#jobs/ports.ts'
import { reconcileAccount } from '#native-routes/billing/reconcile-account.ts'
import type { DatabasePort, LogPort } from '#native-routes/ports.ts'
import { createStripeBilling } from '../adapters/billing-stripe/billing-stripe.ts'
import { type BillingSettings, readBillingOptions } from '../settings/billing-options.ts'

/** Creates the port through which jobs compare accounts with the billing provider; null if none is configured. */
export const createReconciliationPort = (
  settings: BillingSettings,
  db: DatabasePort,
  log: LogPort,
): ReconciliationPort | null => {
  // Jobs open no hosted pages, so this URL is never used.
  const unusedOrigin = () => 'http://localhost'
  const billing = createStripeBilling({ ...readBillingOptions(settings), appOrigin: unusedOrigin })
  if (!billing.connect()) return null
  return {
    reconcile: async (accountId) => {
      const provider = billing.connect()
      return provider && reconcileAccount(accountId, provider, { db, log })
    },
  }
}
