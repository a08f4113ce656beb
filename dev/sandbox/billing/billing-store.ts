import { randomBytes } from 'node:crypto'

export interface Price {
  readonly id: string
  readonly name: string
  /** In the currency's smallest unit. */
  readonly amount: number
}

export interface StoredCustomer {
  readonly id: string
  readonly created: number
  readonly email: string | null
  readonly metadata: ProviderMetadata
  /** It can still be read, but can buy nothing. */
  deleted?: true
}

type ProviderMetadata = Readonly<Record<string, string>>

export interface StoredSubscription {
  readonly id: string
  readonly customer: string
  readonly created: number
  readonly itemId: string
  readonly metadata: ProviderMetadata
  status: string
  priceId: string
  periodEnd: number
  cancelAtPeriodEnd: boolean
  cancelAt: number | null
}

export interface StoredCheckoutSession {
  readonly id: string
  readonly created: number
  readonly customer: string
  readonly priceId: string
  readonly clientReferenceId: string | null
  readonly metadata: ProviderMetadata
  readonly subscriptionMetadata: ProviderMetadata
  readonly successUrl: string
  readonly cancelUrl: string
  status: 'open' | 'complete' | 'expired'
  subscription: string | null
  invoice: string | null
}

export interface Portal {
  readonly customer: string
  readonly returnUrl: string
}

export interface BillingStore {
  readonly customers: Record<string, StoredCustomer>
  readonly subscriptions: Record<string, StoredSubscription>
  readonly sessions: Record<string, StoredCheckoutSession>
}

export const nowS = () => Math.floor(Date.now() / 1000)

export const createProviderId = (prefix: string) => `${prefix}_sandbox_${randomBytes(12).toString('hex')}`

export class StripeApiError extends Error {
  override name = 'ProviderError'
  readonly status: 400 | 404
  readonly code: string
  constructor(status: 400 | 404, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

export const requireFound = <T>(entries: Readonly<Record<string, T>>, id: string, kind: string): T => {
  const entry = Object.hasOwn(entries, id) ? entries[id] : undefined
  if (entry === undefined) throw new StripeApiError(404, 'resource_missing', `No such ${kind}: '${id}'`)
  return entry
}
