import { ApiError } from '#contracts/errors.ts'
import type { Ports } from '../ports.ts'
import type { BillingPort, BillingProvider } from './ports.ts'

/** The provider of a deployment that has one; throws `billing_configuration_error` elsewhere. */
export const requireProvider = ({ billing, effects }: Pick<Ports, 'billing' | 'effects'>) => {
  const provider = billing.connect()
  if (!provider) throw new ApiError('billing_configuration_error')
  return throughEffects(provider, effects)
}

/** The same for what needs something to be on sale. */
export const requireSellingProvider = (ports: Pick<Ports, 'billing' | 'effects'>) => {
  if (ports.billing.availablePlanIds.length === 0) throw new ApiError('billing_configuration_error')
  return requireProvider(ports)
}

/** Throws `billing_bad_input` for a plan that does not exist or has no price. */
export const requireAvailablePlan = ({ availablePlanIds }: BillingPort, planId: string) => {
  if (!availablePlanIds.includes(planId)) throw new ApiError('billing_bad_input')
}

/** The provider with every call that leaves something behind in there going through the port for such calls. */
export const throughEffects = (
  provider: BillingProvider,
  { external }: Ports['effects'],
): BillingProvider => ({
  findSubscription: provider.findSubscription,
  listSubscriptions: provider.listSubscriptions,
  createCustomer: (account) => external(() => provider.createCustomer(account)),
  openCheckout: (order) => external(() => provider.openCheckout(order)),
  expireEarlierCheckouts: (customerId) => external(() => provider.expireEarlierCheckouts(customerId)),
  openPortal: (customerId, returnPath) => external(() => provider.openPortal(customerId, returnPath)),
  changePlan: (subscriptionId, planId) => external(() => provider.changePlan(subscriptionId, planId)),
  cancelAtPeriodEnd: (subscriptionId) => external(() => provider.cancelAtPeriodEnd(subscriptionId)),
  resume: (subscription) => external(() => provider.resume(subscription)),
  cancelNow: (subscriptionId) => external(() => provider.cancelNow(subscriptionId)),
})
