import { ApiError } from '#contracts/errors.ts'
import type { Ports } from '../ports.ts'
import type { BillingPort } from './ports.ts'

/** Throws `billing_configuration_error` if none is configured. */
export const requireProvider = ({ billing }: Pick<Ports, 'billing'>) => {
  const provider = billing.connect()
  if (!provider) throw new ApiError('billing_configuration_error')
  return provider
}

/** Throws `billing_configuration_error` if none is configured or no plan has a price. */
export const requireProviderWithPlans = (ports: Pick<Ports, 'billing'>) => {
  if (ports.billing.availablePlanIds.length === 0) throw new ApiError('billing_configuration_error')
  return requireProvider(ports)
}

/** Throws `billing_bad_input` if the plan does not exist or has no price. */
export const requireAvailablePlan = ({ availablePlanIds }: BillingPort, planId: string) => {
  if (!availablePlanIds.includes(planId))
    throw new ApiError('billing_bad_input', { availablePlanIds: [...availablePlanIds] })
}
