import { changePlan } from '#contracts/billing.ts'
import { defineRoute } from '../define-route.ts'
import { createCheckoutSession } from './create-checkout-session.ts'
import { ensureCustomer } from './ensure-customer.ts'
import { requireAvailablePlan, requireProviderWithPlans } from './require-provider.ts'
import { saveProviderResponse, syncAccount } from './sync-subscription.ts'

export const switchPlan = defineRoute(changePlan, async (order, ports) => {
  const { planId } = order.body
  const provider = requireProviderWithPlans(ports)
  requireAvailablePlan(ports.billing, planId)
  const customer = await ensureCustomer(order.actor, provider, ports)
  const synced = await syncAccount(customer, provider, ports)
  const { row, current } = synced
  if (current?.state !== 'live') {
    const session = await createCheckoutSession(order, synced, customer.billingCustomerId, provider, ports)
    return { mode: 'checkout' as const, ...session }
  }
  if (current.planId !== planId)
    await saveProviderResponse(row, await provider.changePlan(current.id, planId), provider, ports)
  return { mode: 'switched' as const, planId }
})
