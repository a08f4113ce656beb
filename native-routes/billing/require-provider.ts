import { ApiError } from '#contracts/errors.ts'
import type { Ports } from '../ports.ts'
import type { BillingPort } from './ports.ts'

export const requireProvider = ({ billing }: Pick<Ports, 'billing'>) => {
  const provider = billing.connect()
  if (!provider) throw new ApiError('billing_configuration_error')
  return provider
}

export const requireProviderWithPlans = (ports: Pick<Ports, 'billing'>) => {
  if (ports.billing.availablePlanIds.length === 0) throw new ApiError('billing_configuration_error')
  return requireProvider(ports)
}

export const requireAvailablePlan = ({ availablePlanIds }: BillingPort, planId: string) => {
  if (!availablePlanIds.includes(planId))
    throw new ApiError('billing_bad_input', { availablePlanIds: [...availablePlanIds] })
}
