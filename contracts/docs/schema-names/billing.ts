import * as billing from '../../billing.ts'

const [SwitchedPlan, PlanCheckout] = billing.changePlan.responses[200].options

export const billingNames = {
  SubscriptionStatus: billing.SubscriptionStatus,
  BillingStatus: billing.BillingStatus,
  BillingSession: billing.checkout.responses[201],
  PlanChoice: billing.checkout.body,
  PortalRequest: billing.portal.body,
  SwitchedPlan,
  PlanCheckout,
  PlanChange: billing.changePlan.responses[200],
  PendingCancellation: billing.cancel.responses[200],
}
