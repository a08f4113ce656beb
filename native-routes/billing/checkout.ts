import { checkout } from '#contracts/billing.ts'
import { defineRoute } from '../define-route.ts'
import { beginCheckout } from './begin-checkout.ts'
import { ensureCustomer } from './ensure-customer.ts'
import { requireAvailablePlan, requireProviderWithPlans } from './require-provider.ts'
import { refreshSubscription } from './sync-subscription.ts'

export const startCheckout = defineRoute(checkout, async (order, ports) => {
  const provider = requireProviderWithPlans(ports)
  requireAvailablePlan(ports.billing, order.body.planId)
  const customer = await ensureCustomer(order.actor, provider, ports)
  const synced = await refreshSubscription(customer, provider, ports)
  return beginCheckout(order, synced, customer.billingCustomerId, provider, ports)
})
