import type { SubscriptionStatus } from '#contracts/billing.ts'
import type { BillingEvent } from '#contracts/shared/provider-events.ts'
import type { DeliveryHeader, VerifyBody } from '../define-webhook.ts'
import type { Actor } from '../ports.ts'

/** A subscription as the billing provider knows it, in this service's words. */
export interface ProviderSubscription {
  readonly id: string
  readonly customerId: string
  /** The account it was bought for, as the provider was told; null where it was not. */
  readonly accountId: string | null
  /** Null: its price is none of the configured plans'. */
  readonly planId: string | null
  readonly status: Exclude<SubscriptionStatus, 'free'>
  /**
   * `live`: it is paid or owed. `incomplete`: its first payment is not made yet. `unknown`: its status is a word this
   * service does not know.
   */
  readonly state: 'live' | 'incomplete' | 'ended' | 'unknown'
  readonly pendingCancellation: 'at-period-end' | 'on-a-date' | null
  readonly currentPeriodEnd: string | null
  readonly createdAt: string
}

/** A hosted page; its address is as good as a password to whoever has it. */
export interface HostedSession {
  readonly sessionId: string
  readonly url: string
}

interface CheckoutOrder {
  readonly accountId: string
  readonly customerId: string
  readonly planId: string
  readonly returnPath: string
  /** Which of the account's checkouts this is. */
  readonly ordinal: number
  /** The click on a share link that the sale is owed to. */
  readonly clickId: string | null
}

/** The provider's API. Every call throws `billing_provider_unavailable` when it fails. */
export interface BillingProvider {
  /** Answers the same customer when it is asked again within a day. */
  createCustomer(account: Pick<Actor, 'accountId' | 'email'>): Promise<string>
  /** Throws `validation_error` for a return path that leads to another origin. */
  openCheckout(order: CheckoutOrder): Promise<HostedSession>
  /** Expires the customer's open checkouts, whoever began them, save for the last one by its ordinal. */
  expireEarlierCheckouts(customerId: string): Promise<void>
  openPortal(customerId: string, returnPath: string): Promise<HostedSession>
  findSubscription(subscriptionId: string): Promise<ProviderSubscription | null>
  /** All of a customer's subscriptions, also those that have ended, newest first; none where it has no such customer. */
  listSubscriptions(customerId: string): Promise<readonly ProviderSubscription[]>
  changePlan(subscriptionId: string, planId: string): Promise<ProviderSubscription>
  cancelAtPeriodEnd(subscriptionId: string): Promise<ProviderSubscription>
  resume(subscription: ProviderSubscription): Promise<ProviderSubscription>
  /** Answers one that has ended already as it is. */
  cancelNow(subscriptionId: string): Promise<ProviderSubscription>
}

/** A purchase that somebody made who came through a share link. */
interface AttributedSale {
  readonly invoiceId: string
  readonly clickId: string
  /** In the currency's smallest unit. */
  readonly amount: number
  readonly currency: string
}

/** What an event of the provider is about. */
export interface ParsedBillingEvent {
  /** Whom it names as the account; more than one is a contradiction. */
  readonly claimedAccountIds: readonly string[]
  readonly customerId: string | null
  readonly subscriptionId: string | null
  /** The subscription as it was when the event happened, where the event holds it. */
  readonly subscription: ProviderSubscription | null
  readonly sale: AttributedSale | null
}

export interface BillingPort {
  /** The plans that have a price, in the order of their configuration. */
  readonly availablePlanIds: readonly string[]
  /**
   * The provider, with a few seconds for all that is asked of it from now on; null where it is not configured.
   */
  connect(): BillingProvider | null
  /**
   * Throws the error of a delivery without the provider's signature header, or with one that is malformed or stale;
   * returns the check of the signed bytes.
   */
  requireSignature(header: DeliveryHeader): VerifyBody
  /** Null for an event that changes nothing here; throws `validation_error` for one that cannot be read. */
  read(event: BillingEvent): ParsedBillingEvent | null
}
