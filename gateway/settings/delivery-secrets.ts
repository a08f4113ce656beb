import { type DeliverySecret, deliveries } from '#contracts/deliveries.ts'
import { secret, webhookSecret } from './setting-types.ts'

type OptionalSecret = ReturnType<typeof secret.optional>

// The type of `fromEntries` does not relate a key to its value.
const asSettings = (settings: object) => settings as { readonly [N in DeliverySecret]: OptionalSecret }

/** The setting with the secret of each sender of deliveries. Without it, the sender's deliveries are rejected. */
export const deliverySecrets = asSettings(
  Object.fromEntries(
    Object.values(deliveries).map((delivery) => [
      delivery.secret,
      (delivery.scheme === 'standard-webhooks' ? webhookSecret : secret).optional(),
    ]),
  ),
)
