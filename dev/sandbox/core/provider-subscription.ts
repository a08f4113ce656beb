import * as z from 'zod'

const seconds = z.number().transform((value) => new Date(value * 1000))

export const ProviderSubscription = z
  .object({
    id: z.string(),
    customer: z.string(),
    status: z.string(),
    cancel_at_period_end: z.boolean(),
    cancel_at: z.number().nullish(),
    items: z.object({
      data: z.array(
        z.object({
          id: z.string(),
          current_period_end: seconds.nullish(),
          price: z.object({ id: z.string() }),
        }),
      ),
    }),
  })
  .transform(({ id, customer, status, items, ...subscription }) => ({
    id,
    customerId: customer,
    status,
    endsOnDate: typeof subscription.cancel_at === 'number' && !subscription.cancel_at_period_end,
    endsWithPeriod: subscription.cancel_at_period_end,
    itemId: items.data[0]?.id ?? null,
    priceId: items.data[0]?.price.id ?? null,
    periodEnd: items.data[0]?.current_period_end ?? null,
  }))

export type ProviderSubscription = z.output<typeof ProviderSubscription>
