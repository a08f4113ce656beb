import { createHmac } from 'node:crypto'
import type { ProviderEvent } from '../deliveries.ts'
import {
  createProviderId,
  nowS,
  type Price,
  type StoredCheckoutSession,
  type StoredCustomer,
  type StoredSubscription,
} from './billing-store.ts'

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

export const serializeCustomer = ({ id, created, email, metadata, deleted }: StoredCustomer) =>
  deleted ? { id, object: 'customer', deleted } : { id, object: 'customer', created, email, metadata }

export const serializeList = (path: string, data: readonly object[]) => ({
  object: 'list',
  url: path,
  has_more: false,
  data,
})

/** A webhook event's content, without its id and time. */
export interface BillingChange {
  readonly type: string
  readonly object: object
}

export const createEvent = ({ type, object }: BillingChange): ProviderEvent => {
  const id = createProviderId('evt')
  const event = { id, object: 'event', type, created: nowS(), livemode: false, data: { object } }
  return { id, type, body: JSON.stringify(event) }
}

export const signEvent = (secret: string, { body }: ProviderEvent) => {
  const timestamp = nowS()
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return { 'billing-signature': `t=${timestamp},v1=${signature}` }
}
