import type { Price, StoredCheckoutSession, StoredCustomer, StoredSubscription } from './billing-store.ts'

// The JSON objects in the provider's API and events.
export const serializeSubscription = (subscription: StoredSubscription) => ({
  id: subscription.id,
  object: 'subscription',
  customer: subscription.customer,
  status: subscription.status,
  created: subscription.created,
  metadata: subscription.metadata,
  cancel_at_period_end: subscription.cancelAtPeriodEnd,
  cancel_at: subscription.cancelAtPeriodEnd ? subscription.periodEnd : subscription.cancelAt,
  items: {
    object: 'list',
    data: [
      {
        id: subscription.itemId,
        object: 'subscription_item',
        current_period_end: subscription.periodEnd,
        price: { id: subscription.priceId, object: 'price' },
      },
    ],
  },
})

export const serializeSession = (session: StoredCheckoutSession, url: string, price: Price | undefined) => ({
  id: session.id,
  object: 'checkout.session',
  mode: 'subscription',
  status: session.status,
  payment_status: session.status === 'complete' ? 'paid' : 'unpaid',
  created: session.created,
  customer: session.customer,
  client_reference_id: session.clientReferenceId,
  metadata: session.metadata,
  subscription: session.subscription,
  invoice: session.invoice,
  amount_total: price?.amount ?? null,
  currency: 'eur',
  url: session.status === 'open' ? url : null,
})

export const serializeCustomer = ({ id, created, email, metadata }: StoredCustomer) => ({
  id,
  object: 'customer',
  created,
  email,
  metadata,
})

export const serializeList = (path: string, data: readonly object[]) => ({
  object: 'list',
  url: path,
  has_more: false,
  data,
})
