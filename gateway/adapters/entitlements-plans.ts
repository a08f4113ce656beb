import type { Feature } from '#contracts/route-table.ts'
import { findSubscription, lockSubscription } from '#db/queries/billing/subscriptions.ts'
import type { DatabasePort, Entitlement, EntitlementPort } from '#native-routes/ports.ts'
import type { Plan } from '../settings/billing.ts'

const entitledStatuses = ['active', 'trialing', 'past_due']

type FoundSubscription = Awaited<ReturnType<typeof findSubscription>>

export const createPlanEntitlements = (
  plans: readonly Plan[],
  db: Pick<DatabasePort, 'read'>,
): EntitlementPort => {
  const toEntitlement = (subscription: FoundSubscription, feature: Feature): Entitlement => {
    const planId = subscription?.planId ?? 'free'
    const status = subscription?.status ?? 'free'
    const effectivePlan = entitledStatuses.includes(status) ? planId : 'free'
    const grant = plans.find(({ id }) => id === effectivePlan)?.entitlements[feature]
    return {
      feature,
      granted: grant !== undefined,
      limit: typeof grant === 'number' ? grant : null,
      planId,
      status,
    }
  }
  return {
    find: async (accountId, feature) => toEntitlement(await findSubscription(db.read, accountId), feature),
    findLocked: async (tx, accountId, feature) =>
      toEntitlement(await lockSubscription(tx, accountId), feature),
  }
}
