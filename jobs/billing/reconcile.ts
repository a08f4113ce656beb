import { acquireReconciliation, finishReconciliation } from '#db/queries/billing/billing-reconciliations.ts'
import type { SubscriptionState } from '#db/queries/billing/subscriptions.ts'
import type { Reconciliation } from '#native-routes/billing/reconcile-account.ts'
import type { JobPorts } from '../ports.ts'
import { examineCustomers } from './examine-customers.ts'

export interface ReconciliationCounts {
  readonly checked: number
  readonly repaired: number
  readonly failed: number
}

type ReconciliationPorts = Pick<JobPorts, 'db' | 'log' | 'billing'>

const startHourUtc = 3
// The run's log line names only a few subscriptions, because each unknown price is also an operator warning.
const maxLoggedSubscriptions = 10

const selectLoggedFields = ({
  planId,
  status,
  billingSubscriptionId,
  cancelAtPeriodEnd,
  currentPeriodEnd,
}: SubscriptionState) => ({
  planId,
  status,
  billingSubscriptionId,
  cancelAtPeriodEnd,
  currentPeriodEnd,
})

export const reconcileSubscriptions = async (
  { db, log, billing }: ReconciliationPorts,
  signal?: AbortSignal,
): Promise<ReconciliationCounts> => {
  if (!billing) return { checked: 0, repaired: 0, failed: 0 }
  const subscriptions: string[] = []
  const report = (accountId: string, { change, unknownPriceOf }: Reconciliation) => {
    if (unknownPriceOf !== null && subscriptions.length < maxLoggedSubscriptions)
      subscriptions.push(unknownPriceOf)
    if (!change) return
    const before = selectLoggedFields(change.before)
    const after = selectLoggedFields(change.after)
    log.warn({ accountId, before, after }, 'subscription repaired')
  }
  const reportFailure = (accountId: string) => log.warn({ accountId }, 'failed to compare subscription')
  const examination = { examine: billing.reconcile, report, reportFailure }
  const { checked, differing, unknownPrices, failed } = await examineCustomers(db.read, examination, signal)
  if (unknownPrices > 0)
    log.warn({ count: unknownPrices, subscriptions }, 'subscriptions with unknown prices found')
  return { checked, repaired: differing, failed }
}

/** The first worker to claim the day's run does it. */
export const reconcileNightly = async (
  ports: Pick<JobPorts, 'db' | 'log' | 'billing' | 'clock'>,
  signal: AbortSignal,
) => {
  const now = ports.clock.now()
  if (!ports.billing || signal.aborted || now.getUTCHours() < startHourUtc) return
  const day = now.toISOString().slice(0, 10)
  if (!(await ports.db.tx((tx) => acquireReconciliation(tx, day)))) return
  const { checked, repaired } = await reconcileSubscriptions(ports, signal)
  if (!signal.aborted) await ports.db.tx((tx) => finishReconciliation(tx, day, { checked, repaired }))
}
