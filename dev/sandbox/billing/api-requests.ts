import * as z from 'zod'
import { StripeApiError } from './billing-store.ts'

// These schemas ignore parameters that the sandbox does not simulate. All values are strings, because requests are
// forms.
const metadata = z.record(z.string(), z.string()).default({})
// Form lists are parsed as objects keyed by index (see form.ts). Only the first entry is used.
const formListOfOne = <T extends z.ZodType>(entry: T) => z.object({ 0: entry })

export const NewCustomer = z.object({ email: z.string().optional(), metadata })
export const NewCheckoutSession = z.object({
  mode: z.literal('subscription'),
  customer: z.string(),
  client_reference_id: z.string().optional(),
  line_items: formListOfOne(z.object({ price: z.string(), quantity: z.literal('1') })),
  success_url: z.url(),
  cancel_url: z.url(),
  metadata,
  subscription_data: z.object({ metadata }).default({ metadata: {} }),
})
export const NewPortalSession = z.object({ customer: z.string(), return_url: z.url() })
export const SubscriptionUpdate = z.object({
  items: formListOfOne(z.object({ id: z.string().optional(), price: z.string() })).optional(),
  cancel_at_period_end: z.enum(['true', 'false']).optional(),
  // An empty value removes the date.
  cancel_at: z.literal('').optional(),
})
export const CustomerListQuery = z.object({ customer: z.string(), status: z.string().optional() })

/** Validates request parameters. Throws the provider's `parameter_invalid` error. */
export const parseRequest = <S extends z.ZodType>(schema: S, value: unknown): z.output<S> => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const path = parsed.error.issues[0]?.path.join('.') ?? ''
  throw new StripeApiError(400, 'parameter_invalid', `Invalid parameter: ${path}`)
}
