import { acquireReconciliation, finishReconciliation } from '#db/queries/billing-reconciliations.ts'
import { listAccountsWithCustomer } from '#db/queries/subscriptions.ts'
import type { JobPorts } from '../ports.ts'

export interface Reconciliation {
  readonly checked: number
  readonly repaired: number
  readonly failed: number
}

type Ports = Pick<JobPorts, 'db' | 'log' | 'billing'>

const atOnce = 50
// So many failures on end are the provider's, not the accounts'.
const failuresInARow = 3
const quietHour = 3

const described = ({
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
 * Compares the subscription of every customer with what the billing provider says and repairs what differs; each
 * repair is written to the log. Throws when the provider fails several times on end.
 */
export const reconcileSubscriptions = async (
  { db, log, billing }: Ports,
  signal?: AbortSignal,
): Promise<Reconciliation> => {
  const counts = { checked: 0, repaired: 0, failed: 0 }
  if (!billing) return counts
  let failures = 0

  const reconcile = async (accountId: string) => {
    try {
      const repair = await billing.reconcile(accountId)
      counts.checked += 1
      failures = 0
      if (!repair) return
      counts.repaired += 1
      const { before, after } = repair
      const change = { accountId, before: described({ ...before }), after: described({ ...after }) }
      log.warn(change, 'a subscription was repaired')
    } catch (error) {
      counts.failed += 1
      failures += 1
      if (failures === failuresInARow) throw error
    }
  }

  let after = ''
  for (;;) {
    const accounts = await listAccountsWithCustomer(db.read, after, atOnce)
    for (const { accountId } of accounts) {
      if (signal?.aborted) return counts
      await reconcile(accountId)
      after = accountId
    }
    if (accounts.length < atOnce) return counts
  }
}

/** Reconciles once a night, whichever of the workers comes first. */
export const reconcileNightly = async (
  ports: Pick<JobPorts, 'db' | 'log' | 'billing' | 'clock'>,
  signal: AbortSignal,
) => {
  const now = ports.clock.now()
  if (!ports.billing || now.getUTCHours() < quietHour) return
  const day = now.toISOString().slice(0, 10)
  if (!(await ports.db.tx((tx) => acquireReconciliation(tx, day)))) return
  const { checked, repaired } = await reconcileSubscriptions(ports, signal)
  if (!signal.aborted) await ports.db.tx((tx) => finishReconciliation(tx, day, { checked, repaired }))
}
