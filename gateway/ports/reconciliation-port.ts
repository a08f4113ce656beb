import type { ReconciliationPort } from '#jobs/ports.ts'
import { reconcileAccount } from '#native-routes/billing/reconcile-account.ts'
import type { DatabasePort, LogPort } from '#native-routes/ports.ts'
import { createStripeBilling } from '../adapters/billing-stripe/billing-stripe.ts'
import { type BillingSettings, readBillingOptions } from '../settings/billing-options.ts'

/** What jobs ask the billing provider; null where none is configured. */
export const createReconciliationPort = (
  settings: BillingSettings,
  db: DatabasePort,
  log: LogPort,
): ReconciliationPort | null => {
  // No job leads a buyer anywhere.
  const noApp = () => 'http://localhost'
  const billing = createStripeBilling({ ...readBillingOptions(settings), appOrigin: noApp })
  if (!billing.connect()) return null
  return {
    reconcile: async (accountId) => {
      const provider = billing.connect()
      return provider && reconcileAccount(accountId, provider, { db, log })
    },
  }
}
