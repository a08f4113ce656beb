import * as z from 'zod'
import { parse } from '#contracts/shared/parse.ts'
import type { ParsedBillingEvent } from '#native-routes/billing/ports.ts'
import type { JsonObject } from '#shared/json.ts'
import type { Plan } from '../../settings/billing.ts'
import { Metadata, Reference, readSubscription, SubscriptionObject } from './objects.ts'

const OptionalReference = Reference.nullish().transform((id) => id ?? null)

const StripeCheckoutSession = z.object({
  mode: z.string(),
  client_reference_id: z.string().nullish(),
  customer: OptionalReference,
  subscription: OptionalReference,
  invoice: OptionalReference,
  metadata: Metadata,
  payment_status: z.string().nullish(),
  amount_total: z.int().nullish(),
  currency: z.string().nullish(),
})
type StripeCheckoutSession = z.output<typeof StripeCheckoutSession>

const Invoice = z.object({
  customer: OptionalReference,
  // API versions since 2025 have the subscription in `parent`, earlier ones in `subscription`.
  parent: z
    .object({
      subscription_details: z.object({ subscription: OptionalReference, metadata: Metadata }).nullish(),
    })
    .nullish(),
  subscription: OptionalReference,
})

const readSale = ({ invoice, metadata, payment_status, amount_total, currency }: StripeCheckoutSession) =>
  invoice && metadata.clickId && payment_status === 'paid' && amount_total && currency
    ? { invoiceId: invoice, clickId: metadata.clickId, amount: amount_total, currency }
    : null

const parseCheckout = (session: StripeCheckoutSession): ParsedBillingEvent | null => {
  if (session.mode !== 'subscription') return null
  return {
    accountId: session.metadata.accountId,
    referenceId: session.client_reference_id || null,
    customerId: session.customer,
    subscriptionId: session.subscription,
    subscription: null,
    sale: readSale(session),
  }
}

const parseSubscription = (object: SubscriptionObject, plans: readonly Plan[]): ParsedBillingEvent => {
  const subscription = readSubscription(object, plans)
  return {
    accountId: subscription.accountId,
    referenceId: null,
    customerId: subscription.customerId,
    subscriptionId: subscription.id,
    subscription,
    sale: null,
  }
}

const parseInvoice = ({
  customer,
  parent,
  subscription,
}: z.output<typeof Invoice>): ParsedBillingEvent | null => {
  const details = parent?.subscription_details
  const subscriptionId = details?.subscription ?? subscription
  if (subscriptionId === null) return null
  return {
    accountId: details?.metadata.accountId ?? null,
    referenceId: null,
    customerId: customer,
    subscriptionId,
    subscription: null,
    sale: null,
  }
}

const eventOf = <S extends z.ZodType>(object: S) => z.object({ data: z.object({ object }) })

const CheckoutEvent = eventOf(StripeCheckoutSession)
const SubscriptionEvent = eventOf(SubscriptionObject)
const InvoiceEvent = eventOf(Invoice)

const checkoutEvents = ['completed', 'async_payment_succeeded', 'async_payment_failed', 'expired']
const subscriptionEvents = [
  'created',
  'updated',
  'deleted',
  'paused',
  'resumed',
  'trial_will_end',
  'pending_update_applied',
  'pending_update_expired',
]
const invoiceEvents = ['paid', 'payment_failed', 'payment_action_required']

const isOneOf = (type: string, prefix: string, events: readonly string[]) =>
  type.startsWith(prefix) && events.includes(type.slice(prefix.length))

// A thin event refers to the changed object instead of containing it.
const isThin = ({ object }: JsonObject) => object === 'v2.core.event'

/** Returns null if the event changes nothing here; throws `validation_error` if the payload is invalid. */
export const parseBillingEvent = (event: JsonObject, plans: readonly Plan[]): ParsedBillingEvent | null => {
  const { type } = event
  if (typeof type !== 'string' || isThin(event)) return null
  if (isOneOf(type, 'checkout.session.', checkoutEvents))
    return parseCheckout(parse(CheckoutEvent, event).data.object)
  if (isOneOf(type, 'customer.subscription.', subscriptionEvents))
    return parseSubscription(parse(SubscriptionEvent, event).data.object, plans)
  if (isOneOf(type, 'invoice.', invoiceEvents)) return parseInvoice(parse(InvoiceEvent, event).data.object)
  return null
}
