import {
  type BillingStore,
  type CheckoutSession,
  nowS,
  ProviderError,
  providerId,
  requireFound,
  type Subscription,
} from './billing-store.ts'
import { subscriptionObject } from './objects.ts'

/** What an event tells, before it has an id and a time. */
export interface BillingChange {
  readonly type: string
  readonly object: object
}

const periodS = 30 * 86_400

const hasEnded = ({ status }: Subscription) => status === 'canceled' || status === 'incomplete_expired'

const refuseEnded = (subscription: Subscription) => {
  if (hasEnded(subscription))
    throw new ProviderError(400, 'subscription_canceled', 'A canceled subscription cannot be changed.')
}

/** What happens to subscriptions. Every change tells of itself. */
export const createSubscriptionLifecycle = (
  books: BillingStore,
  tell: (happening: BillingChange) => void,
) => {
  const tellOf = (event: string, subscription: Subscription) =>
    tell({ type: `customer.subscription.${event}`, object: subscriptionObject(subscription) })

  const tellOfInvoice = (event: string, id: string, { id: subscription, customer, metadata }: Subscription) =>
    tell({
      type: `invoice.${event}`,
      object: {
        id,
        object: 'invoice',
        customer,
        parent: { type: 'subscription_details', subscription_details: { subscription, metadata } },
      },
    })

  const subscribe = (start: Pick<Subscription, 'customer' | 'priceId' | 'metadata'>, status = 'active') => {
    const subscription: Subscription = {
      id: providerId('sub'),
      itemId: providerId('si'),
      created: nowS(),
      periodEnd: nowS() + periodS,
      cancelAtPeriodEnd: false,
      cancelAt: null,
      status,
      ...start,
    }
    books.subscriptions[subscription.id] = subscription
    tellOf('created', subscription)
    return subscription
  }

  const change = (
    id: string,
    changes: Partial<
      Pick<Subscription, 'status' | 'priceId' | 'cancelAtPeriodEnd' | 'cancelAt' | 'periodEnd'>
    >,
  ) => {
    const subscription = requireFound(books.subscriptions, id, 'subscription')
    refuseEnded(subscription)
    Object.assign(subscription, changes)
    tellOf('updated', subscription)
    return subscription
  }

  const cancel = (id: string) => {
    const subscription = requireFound(books.subscriptions, id, 'subscription')
    refuseEnded(subscription)
    subscription.status = subscription.status === 'incomplete' ? 'incomplete_expired' : 'canceled'
    tellOf('deleted', subscription)
    return subscription
  }

  return {
    subscribe,
    change,
    cancel,

    /** The buyer pays: the session is complete and its subscription runs. */
    pay(session: CheckoutSession) {
      if (session.status !== 'open')
        throw new ProviderError(400, 'session_not_open', 'This page has been used or has expired.')
      const { customer, priceId, subscriptionMetadata: metadata } = session
      const subscription = subscribe({ customer, priceId, metadata })
      session.status = 'complete'
      session.subscription = subscription.id
      session.invoice = providerId('in')
      tellOfInvoice('paid', session.invoice, subscription)
      return subscription
    },

    /** Time passes: the subscription is renewed, or ends where that was asked for. */
    endPeriod(id: string) {
      const subscription = requireFound(books.subscriptions, id, 'subscription')
      if (subscription.cancelAtPeriodEnd) return cancel(id)
      change(id, { periodEnd: subscription.periodEnd + periodS, status: 'active' })
      tellOfInvoice('paid', providerId('in'), subscription)
      return subscription
    },

    /** A renewal that the card does not pay for. */
    failPayment(id: string) {
      const subscription = change(id, { status: 'past_due' })
      tellOfInvoice('payment_failed', providerId('in'), subscription)
      return subscription
    },
  }
}

export type SubscriptionLifecycle = ReturnType<typeof createSubscriptionLifecycle>
