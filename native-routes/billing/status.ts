import { status } from '#contracts/billing.ts'
import { findBillingAccount } from '#db/queries/billing/subscriptions.ts'
import { defineRoute } from '../define-route.ts'

export const showBillingStatus = defineRoute(status, async ({ actor }, { db, billing }) => {
  const row = await findBillingAccount(db.read, actor.accountId)
  const { billingCustomerId, billingSubscriptionId } = row ?? {}
  return {
    customerConfigured: Boolean(billingCustomerId),
    planId: row?.planId ?? 'free',
    status: row?.status ?? 'free',
    ...(billingCustomerId ? { billingCustomerId } : {}),
    ...(billingSubscriptionId ? { billingSubscriptionId } : {}),
    availablePlanIds: [...billing.availablePlanIds],
    cancelAtPeriodEnd: row?.cancelAtPeriodEnd ?? false,
    currentPeriodEnd: row?.currentPeriodEnd ?? null,
  }
})
