import * as z from 'zod'
import { ApiError } from '#contracts/errors.ts'
import type { ProviderSubscription } from '#native-routes/billing/ports.ts'
import type { Plan } from '../../settings/billing.ts'

export const Reference = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])

// 9999-12-31: later years no longer fit an ISO timestamp
const seconds = z.int().min(0).max(253_402_300_799)

export const Metadata = z
  .record(z.string(), z.string())
  .nullish()
  .transform((metadata) => ({
    accountId: metadata?.account_id || null,
    clickId: metadata?.link_click_id || null,
    checkout: Number(metadata?.checkout_ordinal ?? -1),
  }))

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

type MappedStatus = Pick<ProviderSubscription, 'status' | 'state'>

const statusMapping: Readonly<Record<string, MappedStatus>> = {
  active: { status: 'active', state: 'live' },
  trialing: { status: 'trialing', state: 'live' },
  past_due: { status: 'past_due', state: 'live' },
  unpaid: { status: 'unpaid', state: 'live' },
  paused: { status: 'unpaid', state: 'live' },
  incomplete: { status: 'incomplete', state: 'incomplete' },
  incomplete_expired: { status: 'canceled', state: 'ended' },
  canceled: { status: 'canceled', state: 'ended' },
}

// Stripe may add statuses. An unknown one grants nothing.
const unknownStatus: MappedStatus = { status: 'incomplete', state: 'unknown' }

const toTimestamp = (unixSeconds: number) => new Date(unixSeconds * 1000).toISOString()

const readPeriodEnd = ({ items, current_period_end }: SubscriptionObject) => {
  const ends = items.data.flatMap(({ current_period_end: end }) => end ?? [])
  const end = ends.length > 0 ? Math.max(...ends) : current_period_end
  return typeof end === 'number' ? toTimestamp(end) : null
}

const readPendingCancellation = ({ cancel_at_period_end, cancel_at }: SubscriptionObject) => {
  if (cancel_at_period_end) return 'at-period-end'
  return typeof cancel_at === 'number' ? 'on-a-date' : null
}

const findPlanByPrice = (plans: readonly Plan[], priceId: string) =>
  plans.find((plan) => plan.priceId === priceId)

export const requirePriceId = (plans: readonly Plan[], planId: string) => {
  const priceId = plans.find(({ id }) => id === planId)?.priceId
  if (!priceId) throw new ApiError('billing_bad_input')
  return priceId
}

export const findPlanItem = ({ items: { data } }: SubscriptionObject, plans: readonly Plan[]) =>
  data.find(({ price }) => findPlanByPrice(plans, price.id)) ?? data[0]

export const readSubscription = (
  subscription: SubscriptionObject,
  plans: readonly Plan[],
): ProviderSubscription => {
  const item = findPlanItem(subscription, plans)
  return {
    id: subscription.id,
    customerId: subscription.customer,
    accountId: subscription.metadata.accountId,
    planId: (item && findPlanByPrice(plans, item.price.id)?.id) ?? null,
    ...(statusMapping[subscription.status] ?? unknownStatus),
    pendingCancellation: readPendingCancellation(subscription),
    currentPeriodEnd: readPeriodEnd(subscription),
    createdAt: toTimestamp(subscription.created),
  }
}
