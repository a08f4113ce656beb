import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { Line, SignedUrl, Str, Timestamp } from './shared/primitives.ts'

/** `free` means that the account has no subscription. */
export const SubscriptionStatus = z.enum([
  'active',
  'canceled',
  'free',
  'incomplete',
  'past_due',
  'trialing',
  'unpaid',
])
export type SubscriptionStatus = z.infer<typeof SubscriptionStatus>

// Must be a path on the app's origin. Browsers would resolve `//host` and `/\host` to a different origin.
const ReturnPath = Line(1, 2048)
  .regex(/^\/(?!\/)[^\\]*$/, { error: 'must start with a single slash and contain no backslash' })
  .regex(/^[^\x7f-\x9f]*$/, { error: 'must not contain control characters' })

const PlanId = Str(100)

// The provider's ids can exceed the 128 characters of `Id`.
const SessionId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,255}$/)
  .meta({ format: 'id' })

const ProviderId = z.string().meta({ format: 'id' })

export const BillingStatus = z.object({
  customerConfigured: z.boolean(),
  planId: z.string(),
  status: SubscriptionStatus,
  billingCustomerId: ProviderId.optional(),
  billingSubscriptionId: ProviderId.optional(),
  availablePlanIds: z.array(z.string()),
  cancelAtPeriodEnd: z.boolean(),
  currentPeriodEnd: Timestamp.nullable(),
})
export type BillingStatus = z.infer<typeof BillingStatus>

const BillingSession = z.object({ sessionId: SessionId, url: SignedUrl })

const ChangedPlan = z.discriminatedUnion('mode', [
  z.object({ mode: z.literal('switched'), planId: z.string() }),
  BillingSession.extend({ mode: z.literal('checkout') }),
])

const PendingCancellation = BillingStatus.pick({
  status: true,
  cancelAtPeriodEnd: true,
  currentPeriodEnd: true,
})

const PlanChoice = z.strictObject({ planId: PlanId, returnPath: ReturnPath })

const errors = ['billing_bad_input', 'billing_configuration_error', 'billing_provider_unavailable'] as const

export const status = defineContract('billing.status', {
  responses: { 200: BillingStatus },
})

export const checkout = defineContract('billing.checkout', {
  body: PlanChoice,
  responses: { 201: BillingSession },
  limit: 'billing',
  errors,
})

export const portal = defineContract('billing.portal', {
  body: PlanChoice.pick({ returnPath: true }),
  responses: { 200: BillingSession },
  limit: 'billing',
  errors,
})

export const changePlan = defineContract('billing.change-plan', {
  body: PlanChoice,
  responses: { 200: ChangedPlan },
  limit: 'billing',
  errors,
})

export const cancel = defineContract('billing.cancel', {
  responses: { 200: PendingCancellation },
  errors,
})

export const resume = defineContract('billing.resume', {
  responses: { 200: PendingCancellation },
  errors,
})
