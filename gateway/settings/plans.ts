import * as z from 'zod'

const planEntitlements = z.record(z.string(), z.union([z.literal(true), z.int().min(0)]))
const Plans = z
  .array(
    z.object({
      id: z.string().min(1),
      name: z.string(),
      priceId: z.string().nullable(),
      entitlements: planEntitlements,
    }),
  )
  .refine((plans) => plans.some(({ id }) => id === 'free'), { error: 'must have a plan with the id free' })

/** A plan as it is configured: a feature that is `true` is on, a number is its limit, an absent one is off. */
export type Plan = z.infer<typeof Plans>[number]

/** What there is where no plans are configured. */
export const freePlanOnly: readonly Plan[] = [{ id: 'free', name: 'Free', priceId: null, entitlements: {} }]

/** The value of a setting that holds plans as JSON. */
export const jsonPlans = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON' })
      return z.NEVER
    }
  })
  .pipe(Plans)
