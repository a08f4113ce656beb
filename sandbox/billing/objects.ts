import type { CheckoutSession, Customer, Price, Subscription } from './billing-store.ts'

// The JSON objects of the provider's API and events.
export const subscriptionObject = (subscription: Subscription) => ({
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

export const sessionObject = (session: CheckoutSession, url: string, price: Price | undefined) => ({
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

export const customerObject = ({ id, created, email, metadata }: Customer) => ({
  id,
  object: 'customer',
  created,
  email,
  metadata,
})

export const listObject = (path: string, data: readonly object[]) => ({
  object: 'list',
  url: path,
  has_more: false,
  data,
})
