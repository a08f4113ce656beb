import { ApiError } from '#contracts/errors.ts'
import type { Ports } from '../ports.ts'
import type { BillingPort } from './ports.ts'

/** The provider of a deployment that has one; throws `billing_configuration_error` elsewhere. */
export const requireProvider = ({ billing }: Pick<Ports, 'billing'>) => {
  const provider = billing.connect()
  if (!provider) throw new ApiError('billing_configuration_error')
  return provider
}

/** The same for what needs something to be on sale. */
export const requireSellingProvider = (ports: Pick<Ports, 'billing'>) => {
  if (ports.billing.availablePlanIds.length === 0) throw new ApiError('billing_configuration_error')
  return requireProvider(ports)
}

/** Throws `billing_bad_input` for a plan that does not exist or has no price. */
export const requireAvailablePlan = ({ availablePlanIds }: BillingPort, planId: string) => {
  if (!availablePlanIds.includes(planId)) throw new ApiError('billing_bad_input')
}
