import type { BareErrorCode } from './errors.ts'

/** How a signature is computed and sent; `gateway/adapters/webhook-signatures.ts` implements each. */
export type SignatureScheme = 'stripe' | 'hmac-sha256' | 'timestamped-hmac-sha256' | 'standard-webhooks'

/** What this service needs to know of a sender to accept its deliveries. */
export interface Delivery {
  readonly scheme: SignatureScheme
  /** The headers that the scheme reads, in its order, with the names that the library of the provider gives them. */
  readonly headers: Readonly<Record<string, string>>
  /** The setting that contains the secret. */
  readonly secret: `${string}_SECRET`
  readonly errors: {
    /** No secret is set. */
    readonly noSecret: BareErrorCode
    /** The signature header is absent; defaults to `invalid`. */
    readonly missing?: BareErrorCode
    readonly invalid: BareErrorCode
    readonly database: BareErrorCode
  }
}

/**
 * The senders of signed deliveries by the label of their route. Everything about a sender that is not what its events
 * mean derives from here: the row of the route table, the setting, both names of its headers, the verification of its
 * signature, the error codes and the API description.
 */
export const deliveries = {
  'webhooks.billing': {
    scheme: 'stripe',
    headers: { 'billing-signature': 'stripe-signature' },
    secret: 'BILLING_WEBHOOK_SECRET',
    errors: {
      noSecret: 'billing_configuration_error',
      missing: 'billing_signature_missing',
      invalid: 'billing_signature_invalid',
      database: 'billing_database_unavailable',
    },
  },
  'webhooks.links': {
    // A delivery has no timestamp. A replay has no effect, because an event is stored once by its id.
    scheme: 'hmac-sha256',
    headers: { 'link-signature': 'dub-signature' },
    secret: 'LINKS_WEBHOOK_SECRET',
    errors: {
      noSecret: 'link_signature_invalid',
      invalid: 'link_signature_invalid',
      database: 'links_database_unavailable',
    },
  },
  'webhooks.email': {
    scheme: 'standard-webhooks',
    headers: {
      'webhook-id': 'svix-id',
      'webhook-timestamp': 'svix-timestamp',
      'webhook-signature': 'svix-signature',
    },
    secret: 'EMAIL_WEBHOOK_SECRET',
    errors: {
      noSecret: 'email_webhook_not_configured',
      invalid: 'email_signature_invalid',
      database: 'email_database_unavailable',
    },
  },
  'media-intelligence.callback': {
    scheme: 'timestamped-hmac-sha256',
    headers: { 'media-intelligence-signature': 'media-intelligence-signature' },
    secret: 'MEDIA_INTELLIGENCE_SECRET',
    errors: {
      noSecret: 'media_intelligence_not_configured',
      invalid: 'media_intelligence_signature_invalid',
      database: 'media_intelligence_database_unavailable',
    },
  },
} as const satisfies Record<string, Delivery>

export type DeliveryLabel = keyof typeof deliveries
export type DeliverySecret = (typeof deliveries)[DeliveryLabel]['secret']

export const isDeliveryLabel = (label: string): label is DeliveryLabel => Object.hasOwn(deliveries, label)

export const deliveryLabels: readonly DeliveryLabel[] = Object.keys(deliveries).filter(isDeliveryLabel)

export const deliveryOf = (label: DeliveryLabel): Delivery => deliveries[label]

/** The name that the library of a provider gives to a header, by the name in the API description. */
export const providerHeaderNames: Readonly<Record<string, string>> = Object.assign(
  {},
  ...deliveryLabels.map((label) => deliveryOf(label).headers),
)

type PathOf<L extends DeliveryLabel> = L extends `${infer Area}.${infer Name}` ? `/v1/${Area}/${Name}` : never
type DeliveryRows = {
  readonly [L in DeliveryLabel]: readonly ['POST', PathOf<L>, 'signature', 'native-only', 'write']
}

// The type of `fromEntries` does not relate a key to its value.
const asRows = (rows: object) => rows as DeliveryRows

/** The rows of the route table: a delivery is never forwarded, and its path is its label. */
export const deliveryRows = asRows(
  Object.fromEntries(
    deliveryLabels.map((label) => [
      label,
      ['POST', `/v1/${label.replace('.', '/')}`, 'signature', 'native-only', 'write'],
    ]),
  ),
)
