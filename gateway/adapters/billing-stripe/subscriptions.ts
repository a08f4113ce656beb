import Stripe from 'stripe'
import type { BillingProvider } from '#native-routes/billing/ports.ts'
import type { Plan } from '../../settings/plans.ts'
import {
  addIdempotencyKey,
  type CallRunner,
  isMissing,
  ProviderFailure,
  toBillingApiError,
} from './client.ts'
import { findPlanItem, readSubscription, requirePriceId, SubscriptionObject } from './objects.ts'

type SubscriptionCalls = Pick<
  BillingProvider,
  'findSubscription' | 'listSubscriptions' | 'changePlan' | 'cancelAtPeriodEnd' | 'resume' | 'cancelNow'
>

/** Creates the calls that read and change subscriptions. */
export const createSubscriptionCalls = (
  client: Stripe,
  runCall: CallRunner,
  plans: readonly Plan[],
): SubscriptionCalls => {
  const requestSubscription = async (
    call: (options: Stripe.RequestOptions) => Promise<Stripe.Subscription>,
  ) => runCall(async (options) => SubscriptionObject.parse(await call(options)))
  const read = (object: SubscriptionObject) => readSubscription(object, plans)

  return {
    findSubscription: (subscriptionId) =>
      runCall(async (options) => {
        try {
          return read(
            SubscriptionObject.parse(await client.subscriptions.retrieve(subscriptionId, {}, options)),
          )
        } catch (error) {
          if (isMissing(error)) return null
          throw error
        }
      }),

    listSubscriptions: (customerId) =>
      runCall(async (options) => {
        try {
          const query = { customer: customerId, status: 'all', limit: 100 } as const
          const { data } = await client.subscriptions.list(query, options)
          return data.map((object) => read(SubscriptionObject.parse(object)))
        } catch (error) {
          if (isMissing(error)) return []
          throw error
        }
      }),

    async changePlan(subscriptionId, planId) {
      const price = requirePriceId(plans, planId)
      const subscription = await requestSubscription((options) =>
        client.subscriptions.retrieve(subscriptionId, {}, options),
      )
      // Without the id of the item, the price would be added as a second item.
      const id = findPlanItem(subscription, plans)?.id
      if (id === undefined) throw toBillingApiError(new ProviderFailure('subscription_without_item'))
      const change: Stripe.SubscriptionUpdateParams = {
        items: [{ id, price }],
        proration_behavior: 'create_prorations',
      }
      return read(
        await requestSubscription((options) =>
          client.subscriptions.update(subscriptionId, change, addIdempotencyKey(options)),
        ),
      )
    },

    async cancelAtPeriodEnd(subscriptionId) {
      const change = { cancel_at_period_end: true }
      return read(
        await requestSubscription((options) =>
          client.subscriptions.update(subscriptionId, change, addIdempotencyKey(options)),
        ),
      )
    },

    async resume({ id, pendingCancellation }) {
      const change: Stripe.SubscriptionUpdateParams =
        pendingCancellation === 'on-a-date' ? { cancel_at: '' } : { cancel_at_period_end: false }
      return read(
        await requestSubscription((options) =>
          client.subscriptions.update(id, change, addIdempotencyKey(options)),
        ),
      )
    },

    async cancelNow(subscriptionId) {
      const result = await runCall(async (options) => {
        try {
          return SubscriptionObject.parse(
            await client.subscriptions.cancel(subscriptionId, { prorate: true }, addIdempotencyKey(options)),
          )
        } catch (error) {
          if (error instanceof Stripe.errors.StripeInvalidRequestError) return error
          throw error
        }
      })
      if (!(result instanceof Error)) return read(result)
      // The provider rejects the request if the subscription was cancelled in the meantime.
      const found = read(
        await requestSubscription((options) => client.subscriptions.retrieve(subscriptionId, {}, options)),
      )
      if (found.state !== 'ended') throw toBillingApiError(result)
      return found
    },
  }
}
