import Stripe from 'stripe'
import * as z from 'zod'
import { ApiError } from '#contracts/errors.ts'
import { parse } from '#contracts/shared/parse.ts'
import type { BillingEvent } from '#contracts/shared/provider-events.ts'
import type { ParsedBillingEvent } from '#native-routes/billing/ports.ts'
import type { DeliveryHeader, VerifyBody } from '#native-routes/define-webhook.ts'
import type { Plan } from '../../settings/plans.ts'
import { decodeExactUtf8 } from '../decode-exact-utf8.ts'
import { Metadata, Reference, readSubscription, SubscriptionObject } from './objects.ts'

const toleranceS = 300
// One time and at least one signature; the library would take the last of several times, and any future one.
const signatureHeader = /^t=(\d{10})(?=.*,v1=)(?:,v\d+=[0-9a-f]+)+$/

const webCrypto = Stripe.createSubtleCryptoProvider()

/**
 * Throws unless the delivery bears a signature header of within five minutes of `now`; returns the check that it covers
 * these very bytes.
 */
export const requireBillingSignature = (
  header: DeliveryHeader,
  secret: string | undefined,
  now: Date,
): VerifyBody => {
  if (secret === undefined) throw new ApiError('billing_configuration_error')
  const signature = header('billing-signature')
  if (signature === undefined || signature === '') throw new ApiError('billing_signature_missing')
  const moment = signatureHeader.exec(signature)?.[1]
  const isFresh = Math.abs(now.valueOf() / 1000 - Number(moment)) <= toleranceS
  if (!isFresh) throw new ApiError('billing_signature_invalid')
  return async (rawBody) => {
    const body = decodeExactUtf8(rawBody)
    if (body === null) throw new ApiError('billing_signature_invalid')
    try {
      const verifier = Stripe.webhooks.signature
      await verifier?.verifyHeaderAsync(body, signature, secret, toleranceS, webCrypto, now.valueOf())
    } catch {
      throw new ApiError('billing_signature_invalid')
    }
  }
}

const nullable = (reference: typeof Reference) => reference.nullish().transform((id) => id ?? null)

const CheckoutSession = z.object({
  mode: z.string(),
  client_reference_id: z.string().nullish(),
  customer: nullable(Reference),
  subscription: nullable(Reference),
  invoice: nullable(Reference),
  metadata: Metadata,
  payment_status: z.string().nullish(),
  amount_total: z.int().nullish(),
  currency: z.string().nullish(),
})
type CheckoutSession = z.output<typeof CheckoutSession>

const Invoice = z.object({
  customer: nullable(Reference),
  // Where the subscription stands since 2025, and where it stood before.
  parent: z
    .object({
      subscription_details: z.object({ subscription: nullable(Reference), metadata: Metadata }).nullish(),
    })
    .nullish(),
  subscription: nullable(Reference),
})

const claims = (...accountIds: readonly (string | null | undefined)[]) =>
  [
    ...new Set(accountIds.filter((accountId) => typeof accountId === 'string' && accountId !== '')),
  ] as string[]

const saleOf = ({ invoice, metadata, payment_status, amount_total, currency }: CheckoutSession) =>
  invoice && metadata.clickId && payment_status === 'paid' && amount_total && currency
    ? { invoiceId: invoice, clickId: metadata.clickId, amount: amount_total, currency }
    : null

const newsOfCheckout = (session: CheckoutSession): ParsedBillingEvent | null => {
  if (session.mode !== 'subscription') return null
  return {
    claimedAccountIds: claims(session.client_reference_id, session.metadata.accountId),
    customerId: session.customer,
    subscriptionId: session.subscription,
    subscription: null,
    sale: saleOf(session),
  }
}

const newsOfSubscription = (object: SubscriptionObject, plans: readonly Plan[]): ParsedBillingEvent => {
  const subscription = readSubscription(object, plans)
  return {
    claimedAccountIds: claims(subscription.accountId),
    customerId: subscription.customerId,
    subscriptionId: subscription.id,
    subscription,
    sale: null,
  }
}

const newsOfInvoice = ({
  customer,
  parent,
  subscription,
}: z.output<typeof Invoice>): ParsedBillingEvent | null => {
  const details = parent?.subscription_details
  const subscriptionId = details?.subscription ?? subscription
  if (subscriptionId === null) return null
  return {
    claimedAccountIds: claims(details?.metadata.accountId),
    customerId: customer,
    subscriptionId,
    subscription: null,
    sale: null,
  }
}

const eventAbout = <S extends z.ZodType>(object: S) => z.object({ data: z.object({ object }) })

const CheckoutEvent = eventAbout(CheckoutSession)
const SubscriptionEvent = eventAbout(SubscriptionObject)
const InvoiceEvent = eventAbout(Invoice)

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

/** What an event tells; null for one that changes nothing here. Throws `validation_error` for one without sense. */
export const readBillingEvent = (event: BillingEvent, plans: readonly Plan[]): ParsedBillingEvent | null => {
  const { type } = event
  if (isOneOf(type, 'checkout.session.', checkoutEvents))
    return newsOfCheckout(parse(CheckoutEvent, event).data.object)
  if (isOneOf(type, 'customer.subscription.', subscriptionEvents))
    return newsOfSubscription(parse(SubscriptionEvent, event).data.object, plans)
  if (isOneOf(type, 'invoice.', invoiceEvents)) return newsOfInvoice(parse(InvoiceEvent, event).data.object)
  return null
}
