import { createHmac } from 'node:crypto'
import {
  type DeliveryLabel,
  type DeliverySecret,
  deliveryLabels,
  deliveryOf,
  type SignatureScheme,
} from '#contracts/deliveries.ts'
import { analysisSecret } from './analysis-service.ts'
import { billingSecret } from './billing.ts'

type Headers = Readonly<Record<string, string>>

const knownSecrets: { readonly [N in DeliverySecret]?: string } = {
  BILLING_WEBHOOK_SECRET: billingSecret,
  MEDIA_INTELLIGENCE_SECRET: analysisSecret,
}

const secretOf = (label: DeliveryLabel) => {
  const { secret, scheme } = deliveryOf(label)
  const text = Object.entries(knownSecrets).find(([name]) => name === secret)?.[1] ?? `${secret} of the tests`
  return scheme === 'standard-webhooks' ? `whsec_${Buffer.from(text).toString('base64')}` : text
}

export const deliverySecrets: Headers = Object.fromEntries(
  deliveryLabels.map((label) => [deliveryOf(label).secret, secretOf(label)]),
)

const hmac = (secret: string | Buffer, text: string) => createHmac('sha256', secret).update(text)

const signTimestamped = (secret: string, body: string, seconds: string) => [
  `t=${seconds},v1=${hmac(secret, `${seconds}.${body}`).digest('hex')}`,
]

// The values of a scheme's headers, in the order of their declaration.
const signers: {
  readonly [S in SignatureScheme]: (secret: string, body: string, seconds: string) => readonly string[]
} = {
  stripe: signTimestamped,
  'timestamped-hmac-sha256': signTimestamped,
  'hmac-sha256': (secret, body) => [hmac(secret, body).digest('hex')],
  'standard-webhooks': (secret, body, seconds) => {
    const id = `msg_${crypto.randomUUID()}`
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
    return [id, seconds, `v1,${hmac(key, `${id}.${seconds}.${body}`).digest('base64')}`]
  },
}

/** Returns the headers of a delivery with a valid signature, named as in the API description. */
export const signDelivery = (label: DeliveryLabel, body: string, at = Date.now()): Headers => {
  const { headers, scheme } = deliveryOf(label)
  const values = signers[scheme](secretOf(label), body, String(Math.floor(at / 1000)))
  return Object.fromEntries(Object.keys(headers).map((name, index) => [name, values[index] ?? '']))
}

/** Returns well-formed headers with another body's signature, so the body is read before verification fails. */
export const forgeDelivery = (label: DeliveryLabel) => signDelivery(label, 'another body')
