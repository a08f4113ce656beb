import * as z from 'zod'
import { apiKey, origin, type Rule } from './setting-types.ts'
import type { Settings } from './settings.ts'

const entitlementError = 'must be true or a whole number, 0 or greater'
const planEntitlements = z.record(
  z.string(),
  z.union([z.literal(true), z.int({ error: entitlementError }).min(0, { error: entitlementError })], {
    error: entitlementError,
  }),
)
const isEachOnce = (values: readonly string[]) => new Set(values).size === values.length

const Plans = z
  .array(
    z.object({
      id: z.string().min(1),
      name: z.string(),
      // An empty price would offer the plan, and every checkout of it would fail.
      priceId: z.string().trim().min(1).nullable(),
      entitlements: planEntitlements,
    }),
    { error: 'must be a JSON array of plans' },
  )
  .refine((plans) => plans.some(({ id }) => id === 'free'), {
    error: 'must contain a plan whose id is "free"',
  })
  // A customer would get the first plan, whichever of them was bought.
  .refine((plans) => isEachOnce(plans.map(({ id }) => id)), {
    error: 'must have a different id for each plan',
  })
  .refine((plans) => isEachOnce(plans.flatMap(({ priceId }) => priceId ?? [])), {
    error: 'must have a different priceId for each plan',
  })

/** A feature is on if `true`, limited if a number, and off if absent. */
export type Plan = z.infer<typeof Plans>[number]

const freePlanOnly: readonly Plan[] = [{ id: 'free', name: 'Free', priceId: null, entitlements: {} }]

const jsonPlans = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON or the path of a readable file' })
      return z.NEVER
    }
  })
  .pipe(Plans)

export const billingSettings = {
  BILLING_PLANS: jsonPlans.optional(),
  BILLING_SECRET_KEY: apiKey.optional(),
  BILLING_API_BASE: origin.optional(),
}

export type BillingVariables = z.infer<z.ZodObject<typeof billingSettings>>

export const billingRules: readonly Rule<BillingVariables & Pick<Settings, 'BILLING_WEBHOOK_SECRET'>>[] = [
  {
    // Without plans, customers could pay for purchases that grant nothing.
    holds: ({ BILLING_PLANS, BILLING_SECRET_KEY, BILLING_WEBHOOK_SECRET }) =>
      BILLING_PLANS !== undefined ||
      (BILLING_SECRET_KEY === undefined && BILLING_WEBHOOK_SECRET === undefined),
    name: 'BILLING_PLANS',
    error: 'is missing: it is required if BILLING_SECRET_KEY or BILLING_WEBHOOK_SECRET is set',
    dependsOn: ['BILLING_PLANS'],
  },
]

/**
 * The key is read on each use, because its file may change. `appOrigin`, where hosted pages send people back to, is a
 * function, because the default is known only once the gateway is listening.
 */
export const readBillingOptions = (settings: BillingVariables, appOrigin: () => string) => ({
  get secretKey() {
    return settings.BILLING_SECRET_KEY
  },
  appOrigin,
  apiBase: settings.BILLING_API_BASE,
  plans: settings.BILLING_PLANS ?? freePlanOnly,
})

export type BillingOptions = ReturnType<typeof readBillingOptions>
