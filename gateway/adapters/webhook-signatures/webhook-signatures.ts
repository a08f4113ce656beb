import {
  type Delivery,
  type DeliverySecret,
  deliveries,
  type SignatureScheme,
} from '#contracts/deliveries.ts'
import { ApiError } from '#contracts/errors.ts'
import type { DeliveryPort } from '#native-routes/ports.ts'
import { hmacSha256 } from './hmac-sha256.ts'
import type { Scheme } from './scheme.ts'
import { standardWebhooks } from './standard-webhooks.ts'
import { stripe } from './stripe.ts'
import { timestampedHmacSha256 } from './timestamped-hmac-sha256.ts'

const schemes: Readonly<Record<SignatureScheme, Scheme>> = {
  stripe,
  'hmac-sha256': hmacSha256,
  'timestamped-hmac-sha256': timestampedHmacSha256,
  'standard-webhooks': standardWebhooks,
}

type Secrets = { readonly [N in DeliverySecret]?: string | undefined }

// A code that bad signatures have too would send the operator to the wrong place. The message tells an attacker nothing:
// without a secret, no delivery is accepted.
const createNoSecretError = ({ errors, secret }: Delivery) =>
  errors.noSecret === errors.invalid
    ? new ApiError(
        errors.noSecret,
        {},
        { message: `No secret is set for this endpoint: the operator must set ${secret}.` },
      )
    : new ApiError(errors.noSecret)

/** Verifies deliveries with the secrets in the settings. Without its secret, every delivery of a sender is rejected. */
export const createDeliveryPort = (secrets: Secrets): DeliveryPort => ({
  requireSignature(label, header) {
    const delivery = deliveries[label]
    const secret = secrets[delivery.secret]
    if (secret === undefined) throw createNoSecretError(delivery)
    return schemes[delivery.scheme](header, secret, delivery)
  },
})
