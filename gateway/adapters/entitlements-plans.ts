import { findSubscriptionOf } from '#db/queries/subscriptions.ts'
import type { DatabasePort, EntitlementPort } from '#native-routes/ports.ts'
import type { Plan } from '../plans.ts'

const entitledStatuses = ['active', 'trialing', 'past_due']

/** Answers from the configured plans and the account's subscription; without a live one the plan is `free`. */
export const createPlanEntitlements = (
  plans: readonly Plan[],
  db: Pick<DatabasePort, 'read'>,
): EntitlementPort => ({
  async find(accountId, feature) {
    const subscription = await findSubscriptionOf(db.read, accountId)
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
  },
})
