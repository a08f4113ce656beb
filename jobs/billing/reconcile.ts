import { acquireReconciliation, finishReconciliation } from '#db/queries/billing-reconciliations.ts'
import { listAccountsWithCustomer } from '#db/queries/subscriptions.ts'
import type { JobPorts } from '../ports.ts'

export interface ReconciliationCounts {
  readonly checked: number
  readonly repaired: number
  readonly failed: number
}

type ReconciliationPorts = Pick<JobPorts, 'db' | 'log' | 'billing'>

const pageSize = 50
// Consecutive failures of different accounts mean that the provider is unavailable.
const maxConsecutiveFailures = 3
const startHourUtc = 3

const selectLoggedFields = ({
  planId,
  status,
  billingSubscriptionId,
  cancelAtPeriodEnd,
  currentPeriodEnd,
}: Readonly<Record<string, unknown>>) => ({
  planId,
  status,
  billingSubscriptionId,
  cancelAtPeriodEnd,
  currentPeriodEnd,
})

/**
 * Compares the subscription of every customer with the billing provider, repairs differences and logs each repair.
 * Throws after several consecutive provider failures.
 */
export const reconcileSubscriptions = async (
  { db, log, billing }: ReconciliationPorts,
  signal?: AbortSignal,
): Promise<ReconciliationCounts> => {
  const counts = { checked: 0, repaired: 0, failed: 0 }
  if (!billing) return counts
  let consecutiveFailures = 0

  const reconcile = async (accountId: string) => {
    try {
      const repair = await billing.reconcile(accountId)
      counts.checked += 1
      consecutiveFailures = 0
      if (!repair) return
      counts.repaired += 1
      const { before, after } = repair
      const change = {
        accountId,
        before: selectLoggedFields({ ...before }),
        after: selectLoggedFields({ ...after }),
      }
      log.warn(change, 'subscription repaired')
    } catch (error) {
      counts.failed += 1
      consecutiveFailures += 1
      if (consecutiveFailures === maxConsecutiveFailures) throw error
    }
  }

  let after = ''
  for (;;) {
    const accounts = await listAccountsWithCustomer(db.read, after, pageSize)
    for (const { accountId } of accounts) {
      if (signal?.aborted) return counts
      await reconcile(accountId)
      after = accountId
    }
    if (accounts.length < pageSize) return counts
  }
}

/** Reconciles once a night; the first worker that acquires the day does it. */
export const reconcileNightly = async (
  ports: Pick<JobPorts, 'db' | 'log' | 'billing' | 'clock'>,
  signal: AbortSignal,
) => {
  const now = ports.clock.now()
  if (!ports.billing || now.getUTCHours() < startHourUtc) return
  const day = now.toISOString().slice(0, 10)
  if (!(await ports.db.tx((tx) => acquireReconciliation(tx, day)))) return
  const { checked, repaired } = await reconcileSubscriptions(ports, signal)
  if (!signal.aborted) await ports.db.tx((tx) => finishReconciliation(tx, day, { checked, repaired }))
}
