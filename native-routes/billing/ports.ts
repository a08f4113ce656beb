import type { SubscriptionStatus } from '#contracts/billing.ts'
import type { JsonObject } from '../define-webhook.ts'

/** A subscription at the billing provider. */
export interface ProviderSubscription {
  readonly id: string
  readonly customerId: string
  /** The account in the subscription's metadata; null if it has none. */
  readonly accountId: string | null
  /** Null if no configured plan has its price. */
  readonly planId: string | null
  readonly status: Exclude<SubscriptionStatus, 'free'>
  /**
   * `live`: it is paid or a payment is due. `incomplete`: its first payment is due. `unknown`: this service does not
   * know its status.
   */
  readonly state: 'live' | 'incomplete' | 'ended' | 'unknown'
  readonly pendingCancellation: 'at-period-end' | 'on-a-date' | null
  readonly currentPeriodEnd: string | null
  readonly createdAt: string
}

/** A hosted page. Its URL is a credential: anyone who has it can use the page. */
export interface HostedSession {
  readonly sessionId: string
  readonly url: string
}

interface CheckoutOrder {
  readonly accountId: string
  readonly customerId: string
  readonly planId: string
  readonly returnPath: string
  /** The number of this checkout among those of the account. */
  readonly ordinal: number
  /** The click on a share link to which the sale is attributed. */
  readonly clickId: string | null
}

/** The provider's API. Every call throws `billing_provider_unavailable` on failure. */
export interface BillingProvider {
  /** Returns the same customer when it is repeated within a day. The e-mail address is a verified one. */
  createCustomer(account: { readonly accountId: string; readonly email: string | null }): Promise<string>
  /** Throws `validation_error` for a return path that resolves to another origin. */
  openCheckout(order: CheckoutOrder): Promise<HostedSession>
  /** Expires all open checkouts of the customer except the one with the highest ordinal. */
  expireEarlierCheckouts(customerId: string): Promise<void>
  openPortal(customerId: string, returnPath: string): Promise<HostedSession>
  findSubscription(subscriptionId: string): Promise<ProviderSubscription | null>
  /** Lists all subscriptions of a customer, including ended ones, newest first; none for an unknown customer. */
  listSubscriptions(customerId: string): Promise<readonly ProviderSubscription[]>
  changePlan(subscriptionId: string, planId: string): Promise<ProviderSubscription>
  cancelAtPeriodEnd(subscriptionId: string): Promise<ProviderSubscription>
  resume(subscription: ProviderSubscription): Promise<ProviderSubscription>
  /** Returns a subscription that has already ended unchanged. */
  cancelNow(subscriptionId: string): Promise<ProviderSubscription>
}

/** A purchase that is attributed to a click on a share link. */
interface AttributedSale {
  readonly invoiceId: string
  readonly clickId: string
  /** In the currency's smallest unit. */
  readonly amount: number
  readonly currency: string
}

/** The parts of a provider's event that this service processes. */
export interface ParsedBillingEvent {
  /** The account in the metadata that this service set. */
  readonly accountId: string | null
  /** The account in `client_reference_id`. Never proof of the owner: a buyer can choose it on a payment link. */
  readonly referenceId: string | null
  readonly customerId: string | null
  readonly subscriptionId: string | null
  /** The subscription at the time of the event, if the event contains it. */
  readonly subscription: ProviderSubscription | null
  readonly sale: AttributedSale | null
}

export interface BillingPort {
  /** The plans that have a price, in the order of their configuration. */
  readonly availablePlanIds: readonly string[]
  /**
   * Returns the provider with a timeout budget of a few seconds for all its calls; null if none is configured. With a
   * secret of the request, a call that a retry of the request repeats is applied once.
   */
  connect(requestSecret?: string): BillingProvider | null
  /**
   * Parses the payload of an event; null for what changes nothing here. Throws `validation_error` for an invalid payload.
   */
  parseEvent(event: JsonObject): ParsedBillingEvent | null
}
