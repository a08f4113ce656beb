import { checkout } from '#contracts/billing.ts'
import { defineRoute } from '../define-route.ts'
import { createCheckoutSession } from './create-checkout-session.ts'
import { ensureCustomer } from './ensure-customer.ts'
import { requireAvailablePlan, requireProviderWithPlans } from './require-provider.ts'
import { syncAccount } from './sync-subscription.ts'

export const startCheckout = defineRoute(checkout, async (order, ports) => {
  const provider = requireProviderWithPlans(ports)
  requireAvailablePlan(ports.billing, order.body.planId)
  const customer = await ensureCustomer(order.actor, provider, ports)
  const synced = await syncAccount(customer, provider, ports)
  return createCheckoutSession(order, synced, customer.billingCustomerId, provider, ports)
})
