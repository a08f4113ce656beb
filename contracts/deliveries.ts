import type { BareErrorCode } from './errors.ts'

/** `gateway/adapters/webhook-signatures.ts` implements each scheme. */
export type SignatureScheme = 'stripe' | 'hmac-sha256' | 'timestamped-hmac-sha256' | 'standard-webhooks'

export interface Delivery {
  readonly scheme: SignatureScheme
  /** The headers that the scheme reads, in order, each with its name in the provider's library. */
  readonly headers: Readonly<Record<string, string>>
  readonly secret: `${string}_SECRET`
  readonly errors: {
    readonly noSecret: BareErrorCode
    /** For a delivery without a signature header. Defaults to `invalid`. */
    readonly missing?: BareErrorCode
    readonly invalid: BareErrorCode
    readonly database: BareErrorCode
  }
}

/**
 * Everything about a sender, except what its events mean, is derived from this table: its route-table row, setting,
 * header names, signature verification, error codes and API description.
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
    // These deliveries have no timestamp. Replaying one has no effect, because each event id is stored only once.
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

export const providerHeaderNames: Readonly<Record<string, string>> = Object.assign(
  {},
  ...deliveryLabels.map((label) => deliveryOf(label).headers),
)

type PathOf<L extends DeliveryLabel> = L extends `${infer Area}.${infer Name}` ? `/v1/${Area}/${Name}` : never
type DeliveryRows = {
  readonly [L in DeliveryLabel]: readonly ['POST', PathOf<L>, 'signature', 'native-only', 'write']
}

// The type of `fromEntries` does not relate keys to values.
const asRows = (rows: object) => rows as DeliveryRows

export const deliveryRows = asRows(
  Object.fromEntries(
    deliveryLabels.map((label) => [
      label,
      ['POST', `/v1/${label.replace('.', '/')}`, 'signature', 'native-only', 'write'],
    ]),
  ),
)
