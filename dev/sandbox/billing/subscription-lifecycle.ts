import {
  type BillingStore,
  createProviderId,
  nowS,
  requireFound,
  type StoredCheckoutSession,
  type StoredSubscription,
  StripeApiError,
} from './billing-store.ts'
import { type BillingChange, serializeSubscription } from './objects.ts'

const periodS = 30 * 86_400

const hasEnded = ({ status }: StoredSubscription) => status === 'canceled' || status === 'incomplete_expired'

const requireNotEnded = (subscription: StoredSubscription) => {
  if (hasEnded(subscription))
    throw new StripeApiError(400, 'subscription_canceled', 'A canceled subscription cannot be changed.')
}

export const createSubscriptionLifecycle = (store: BillingStore, emit: (change: BillingChange) => void) => {
  const emitSubscriptionEvent = (event: string, subscription: StoredSubscription) =>
    emit({ type: `customer.subscription.${event}`, object: serializeSubscription(subscription) })

  const emitInvoiceEvent = (
    event: string,
    id: string,
    { id: subscription, customer, metadata }: StoredSubscription,
  ) =>
    emit({
      type: `invoice.${event}`,
      object: {
        id,
        object: 'invoice',
        customer,
        parent: { type: 'subscription_details', subscription_details: { subscription, metadata } },
      },
    })

  const subscribe = (
    start: Pick<StoredSubscription, 'customer' | 'priceId' | 'metadata'>,
    status = 'active',
  ) => {
    const subscription: StoredSubscription = {
      id: createProviderId('sub'),
      itemId: createProviderId('si'),
      created: nowS(),
      periodEnd: nowS() + periodS,
      cancelAtPeriodEnd: false,
      cancelAt: null,
      status,
      ...start,
    }
    store.subscriptions[subscription.id] = subscription
    emitSubscriptionEvent('created', subscription)
    return subscription
  }

  const change = (
    id: string,
    changes: Partial<
      Pick<StoredSubscription, 'status' | 'priceId' | 'cancelAtPeriodEnd' | 'cancelAt' | 'periodEnd'>
    >,
  ) => {
    const subscription = requireFound(store.subscriptions, id, 'subscription')
    requireNotEnded(subscription)
    Object.assign(subscription, changes)
    emitSubscriptionEvent('updated', subscription)
    return subscription
  }

  const cancel = (id: string) => {
    const subscription = requireFound(store.subscriptions, id, 'subscription')
    requireNotEnded(subscription)
    subscription.status = subscription.status === 'incomplete' ? 'incomplete_expired' : 'canceled'
    emitSubscriptionEvent('deleted', subscription)
    return subscription
  }

  return {
    subscribe,
    change,
    cancel,

    cancelAllOf(customer: string) {
      for (const subscription of Object.values(store.subscriptions))
        if (subscription.customer === customer && !hasEnded(subscription)) cancel(subscription.id)
    },

    pay(session: StoredCheckoutSession) {
      if (session.status !== 'open')
        throw new StripeApiError(400, 'session_not_open', 'This checkout is complete or has expired.')
      const { customer, priceId, subscriptionMetadata: metadata } = session
      const subscription = subscribe({ customer, priceId, metadata })
      session.status = 'complete'
      session.subscription = subscription.id
      session.invoice = createProviderId('in')
      emitInvoiceEvent('paid', session.invoice, subscription)
      return subscription
    },

    endPeriod(id: string) {
      const subscription = requireFound(store.subscriptions, id, 'subscription')
      if (subscription.cancelAtPeriodEnd) return cancel(id)
      change(id, { periodEnd: subscription.periodEnd + periodS, status: 'active' })
      emitInvoiceEvent('paid', createProviderId('in'), subscription)
      return subscription
    },

    failPayment(id: string) {
      const subscription = change(id, { status: 'past_due' })
      emitInvoiceEvent('payment_failed', createProviderId('in'), subscription)
      return subscription
    },
  }
}

export type SubscriptionLifecycle = ReturnType<typeof createSubscriptionLifecycle>
