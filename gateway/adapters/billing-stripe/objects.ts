import * as z from 'zod'
import { ApiError } from '#contracts/errors.ts'
import type { ProviderSubscription } from '#native-routes/billing/ports.ts'
import type { Plan } from '../../settings/plans.ts'

/** A reference to another object: its id, or the object itself where the caller asked for it. */
export const Reference = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])

// Within the years that a moment can be written in.
const seconds = z.int().min(0).max(253_402_300_799)

export const Metadata = z
  .record(z.string(), z.string())
  .nullish()
  .transform((metadata) => ({
    accountId: metadata?.account_id || null,
    clickId: metadata?.link_click_id || null,
    checkout: Number(metadata?.checkout_ordinal ?? -1),
  }))

/** What is read of a subscription, be it the API's or an event's, whichever version of the API wrote it. */
export const SubscriptionObject = z.object({
  id: z.string(),
  customer: Reference,
  status: z.string(),
  created: seconds,
  metadata: Metadata,
  cancel_at_period_end: z.boolean(),
  cancel_at: seconds.nullish(),
  current_period_end: seconds.nullish(),
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
export type SubscriptionObject = z.output<typeof SubscriptionObject>

type Standing = Pick<ProviderSubscription, 'status' | 'state'>

const standings: Readonly<Record<string, Standing>> = {
  active: { status: 'active', state: 'live' },
  trialing: { status: 'trialing', state: 'live' },
  past_due: { status: 'past_due', state: 'live' },
  unpaid: { status: 'unpaid', state: 'live' },
  paused: { status: 'unpaid', state: 'live' },
  incomplete: { status: 'incomplete', state: 'incomplete' },
  incomplete_expired: { status: 'canceled', state: 'ended' },
  canceled: { status: 'canceled', state: 'ended' },
}

// The provider may add words; one that is not known grants nothing.
const unknownStanding: Standing = { status: 'incomplete', state: 'unknown' }

/** The provider's seconds as a moment. */
const momentOf = (unixSeconds: number) => new Date(unixSeconds * 1000).toISOString()

const periodEndOf = ({ items, current_period_end }: SubscriptionObject) => {
  const ends = items.data.flatMap(({ current_period_end: end }) => end ?? [])
  const end = ends.length > 0 ? Math.max(...ends) : current_period_end
  return typeof end === 'number' ? momentOf(end) : null
}

const pendingCancellationOf = ({ cancel_at_period_end, cancel_at }: SubscriptionObject) => {
  if (cancel_at_period_end) return 'at-period-end'
  return typeof cancel_at === 'number' ? 'on-a-date' : null
}

const planOfPrice = (plans: readonly Plan[], priceId: string) =>
  plans.find((plan) => plan.priceId === priceId)

/** The price of a plan; throws `billing_bad_input` for one that cannot be bought. */
export const priceOf = (plans: readonly Plan[], planId: string) => {
  const priceId = plans.find(({ id }) => id === planId)?.priceId
  if (!priceId) throw new ApiError('billing_bad_input')
  return priceId
}

/** The item that makes the subscription one of a plan, or the only one it has. */
export const planItemOf = ({ items: { data } }: SubscriptionObject, plans: readonly Plan[]) =>
  data.find(({ price }) => planOfPrice(plans, price.id)) ?? data[0]

/** A subscription in this service's words. */
export const readSubscription = (
  subscription: SubscriptionObject,
  plans: readonly Plan[],
): ProviderSubscription => {
  const item = planItemOf(subscription, plans)
  return {
    id: subscription.id,
    customerId: subscription.customer,
    accountId: subscription.metadata.accountId,
    planId: (item && planOfPrice(plans, item.price.id)?.id) ?? null,
    ...(standings[subscription.status] ?? unknownStanding),
    pendingCancellation: pendingCancellationOf(subscription),
    currentPeriodEnd: periodEndOf(subscription),
    createdAt: momentOf(subscription.created),
  }
}
