import type Stripe from 'stripe'
import * as z from 'zod'
import type { BillingProvider } from '#native-routes/billing/ports.ts'
import type { Plan } from '../../settings/billing.ts'
import {
  type CallOptions,
  type CallRunner,
  idSegment,
  isInvalidRequest,
  isMissing,
  ProviderFailure,
  type StripeClient,
  toBillingApiError,
} from './client.ts'
import { createDeletionCheck } from './deleted-customers.ts'
import { findPlanItem, readSubscription, requirePriceId, SubscriptionObject } from './objects.ts'

type SubscriptionCalls = Pick<
  BillingProvider,
  'findSubscription' | 'listSubscriptions' | 'changePlan' | 'cancelAtPeriodEnd' | 'resume' | 'cancelNow'
>

const Subscriptions = z.object({ data: z.array(SubscriptionObject) })

const listPath = '/v1/subscriptions'
const pathOf = (subscriptionId: string) => `${listPath}/${idSegment(subscriptionId)}`

export const createSubscriptionCalls = (
  client: StripeClient,
  runCall: CallRunner,
  plans: readonly Plan[],
): SubscriptionCalls => {
  const retrieve = async (subscriptionId: string, options: CallOptions) =>
    SubscriptionObject.parse(await client.get(pathOf(subscriptionId), {}, options))
  // If an idempotency key was sent before, Stripe replays its first response. The subscription may have changed since,
  // so it is read again.
  const update = async (subscriptionId: string, change: Stripe.SubscriptionUpdateParams) => {
    const path = pathOf(subscriptionId)
    const { updated, mayBeRepeated } = await runCall(async (options) => {
      const response = await client.post(path, change, options)
      return {
        updated: SubscriptionObject.parse(response),
        mayBeRepeated: options.requestSecret !== undefined,
      }
    })
    return mayBeRepeated ? runCall((options) => retrieve(subscriptionId, options)) : updated
  }
  const read = (object: SubscriptionObject) => readSubscription(object, plans)
  const unlessDeleted = createDeletionCheck(client, runCall)

  return {
    findSubscription: (subscriptionId) =>
      runCall(async (options) => {
        try {
          return read(await retrieve(subscriptionId, options))
        } catch (error) {
          if (isMissing(error)) return null
          throw error
        }
      }),

    async listSubscriptions(customerId) {
      const query: Stripe.SubscriptionListParams = { customer: customerId, status: 'all', limit: 100 }
      const listed = await unlessDeleted(customerId, async (options) =>
        Subscriptions.parse(await client.get(listPath, query, options)),
      )
      return listed?.data.map(read) ?? []
    },

    async changePlan(subscriptionId, planId) {
      const price = requirePriceId(plans, planId)
      const subscription = await runCall((options) => retrieve(subscriptionId, options))
      // Without the item's id, Stripe would add the price as a second item.
      const id = findPlanItem(subscription, plans)?.id
      if (id === undefined) throw toBillingApiError(new ProviderFailure('subscription_without_item'))
      return read(
        await update(subscriptionId, {
          items: [{ id, price }],
          proration_behavior: 'create_prorations',
        }),
      )
    },

    async cancelAtPeriodEnd(subscriptionId) {
      return read(await update(subscriptionId, { cancel_at_period_end: true }))
    },

    async resume({ id, pendingCancellation }) {
      const isOnDate = pendingCancellation === 'on-a-date'
      return read(await update(id, isOnDate ? { cancel_at: '' } : { cancel_at_period_end: false }))
    },

    async cancelNow(subscriptionId) {
      const result = await runCall(async (options) => {
        try {
          const parameters: Stripe.SubscriptionCancelParams = { prorate: true }
          return SubscriptionObject.parse(await client.delete(pathOf(subscriptionId), parameters, options))
        } catch (error) {
          if (isInvalidRequest(error)) return error
          throw error
        }
      })
      if (!(result instanceof Error)) return read(result)
      // Stripe rejects the call if the subscription was cancelled in the meantime.
      const found = read(await runCall((options) => retrieve(subscriptionId, options)))
      if (found.state !== 'ended') throw toBillingApiError(result)
      return found
    },
  }
}
