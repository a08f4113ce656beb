import type { SubscriptionStatus } from '#contracts/billing.ts'
import type { JsonObject } from '#shared/json.ts'

export interface ProviderSubscription {
  readonly id: string
  readonly customerId: string
  readonly accountId: string | null
  /** Null if no configured plan has the subscription's price. */
  readonly planId: string | null
  readonly status: Exclude<SubscriptionStatus, 'free'>
  /** `live`: paid, or a payment is due. `incomplete`: the first payment is due. `unknown`: a status we do not know. */
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

export interface NewCustomer {
  readonly accountId: string
  readonly email: string | null
  /** The account's deleted customer. */
  readonly replaces?: string
}

export interface CheckoutOrder {
  readonly accountId: string
  readonly customerId: string
  readonly planId: string
  readonly returnPath: string
  readonly ordinal: number
  readonly clickId: string | null
}

/** The provider's API. Every call throws `billing_provider_unavailable` on failure. */
export interface BillingProvider {
  /** Returns the same customer if repeated within a day. The email address, if any, is verified. */
  createCustomer(account: NewCustomer): Promise<string>
  /** Null if the customer was deleted. Throws `validation_error` if the return path resolves to another origin. */
  openCheckout(order: CheckoutOrder): Promise<HostedSession | null>
  /** Expires the customer's open checkouts except the one with the highest ordinal. */
  expireEarlierCheckouts(customerId: string): Promise<void>
  /** Null if the customer was deleted. */
  openPortal(customerId: string, returnPath: string): Promise<HostedSession | null>
  findSubscription(subscriptionId: string): Promise<ProviderSubscription | null>
  /** Lists a customer's subscriptions, ended ones included, newest first. Throws if the customer never existed. */
  listSubscriptions(customerId: string): Promise<readonly ProviderSubscription[]>
  changePlan(subscriptionId: string, planId: string): Promise<ProviderSubscription>
  cancelAtPeriodEnd(subscriptionId: string): Promise<ProviderSubscription>
  resume(subscription: ProviderSubscription): Promise<ProviderSubscription>
  cancelNow(subscriptionId: string): Promise<ProviderSubscription>
}

interface AttributedSale {
  readonly invoiceId: string
  readonly clickId: string
  readonly amount: number
  readonly currency: string
}

export interface ParsedBillingEvent {
  /** The account from the metadata that this service set. */
  readonly accountId: string | null
  /** The account in `client_reference_id`. Never proof of ownership: on a payment link, the buyer can choose it. */
  readonly referenceId: string | null
  readonly customerId: string | null
  readonly subscriptionId: string | null
  readonly subscription: ProviderSubscription | null
  readonly sale: AttributedSale | null
}

export interface BillingPort {
  readonly availablePlanIds: readonly string[]
  /**
   * Connects to the provider; null if none is configured. All calls together have a time limit of a few seconds. The
   * request's secret ensures that a call repeated by a retry is applied only once.
   */
  connect(requestSecret?: string): BillingProvider | null
  /**
   * Parses an event's payload. Returns null if the event changes nothing here; throws `validation_error` if the payload
   * is invalid.
   */
  parseEvent(event: JsonObject): ParsedBillingEvent | null
}
