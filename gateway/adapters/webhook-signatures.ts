import {
  type Delivery,
  type DeliverySecret,
  deliveries,
  type SignatureScheme,
} from '#contracts/deliveries.ts'
import { ApiError } from '#contracts/errors.ts'
import type { DeliveryHeader, VerifyBody } from '#native-routes/define-webhook.ts'
import type { DeliveryPort } from '#native-routes/ports.ts'
import {
  decodeWebhookSecret,
  isSameDigest,
  parseBase64Digest,
  parseHexDigest,
  signHmac,
} from '#shared/hmac-sha256.ts'

// Checks a delivery's headers, throwing the route's error if one is missing, malformed or stale. Returns a function
// that verifies the signature of the exact bytes received. Any of the secrets may have signed them.
type Scheme = (header: DeliveryHeader, secrets: readonly string[], delivery: Delivery) => VerifyBody

const toleranceS = 300

/** Limits replays of a captured delivery. */
const isFresh = (unixSeconds: string | undefined) =>
  Math.abs(Date.now() / 1000 - Number(unixSeconds)) <= toleranceS

const requireHeaders = (header: DeliveryHeader, { headers, errors }: Delivery): readonly string[] => {
  const values = Object.keys(headers).map((name) => header(name) ?? '')
  if (!values[0]) throw new ApiError(errors.missing ?? errors.invalid)
  return values
}

const createVerifier =
  (
    { errors }: Delivery,
    secrets: readonly (string | Uint8Array)[],
    digests: readonly Uint8Array[],
    prefix = '',
  ): VerifyBody =>
  async (rawBody) => {
    // Computed once for all digests, because an unsigned header can hold hundreds of them.
    const isSignedWith = (secret: string | Uint8Array) => {
      const expected = signHmac(secret, prefix, rawBody)
      return digests.some((digest) => isSameDigest(digest, expected))
    }
    if (!secrets.some(isSignedWith)) throw new ApiError(errors.invalid)
  }

const hmacSha256: Scheme = (header, secrets, delivery) => {
  const [value = ''] = requireHeaders(header, delivery)
  const signature = parseHexDigest(value)
  if (signature === null) throw new ApiError(delivery.errors.invalid)
  return createVerifier(delivery, secrets, [signature])
}

const timeAndDigest = /^t=(\d{10}),v1=([0-9a-f]+)$/

const timestampedHmacSha256: Scheme = (header, secrets, delivery) => {
  const [value = ''] = requireHeaders(header, delivery)
  const [, timestamp, digest = ''] = timeAndDigest.exec(value) ?? []
  const signature = parseHexDigest(digest)
  if (!isFresh(timestamp) || signature === null) throw new ApiError(delivery.errors.invalid)
  return createVerifier(delivery, secrets, [signature], `${timestamp}.`)
}

const timeAndDigests = /^t=(\d{10})(?=.*,v1=)(?:,v\d+=[0-9a-f]+)+$/
const hexDigests = /(?<=,v1=)[0-9a-f]+/g

/** One header with a time and several signatures, one per secret while the sender rotates them. */
const stripe: Scheme = (header, secrets, delivery) => {
  const [value = ''] = requireHeaders(header, delivery)
  const timestamp = timeAndDigests.exec(value)?.[1]
  if (!isFresh(timestamp)) throw new ApiError(delivery.errors.invalid)
  const digests = [...value.matchAll(hexDigests)].flatMap(([digest]) => parseHexDigest(digest) ?? [])
  return createVerifier(delivery, secrets, digests, `${timestamp}.`)
}

const timestampFormat = /^\d{10}$/
// No comma, because a repeated header's values are joined by commas and must not pass as one id.
const idFormat = /^[!-+\--~]{1,255}$/
const signatureFormat =
  /^(?=(?:.* )?v1,)v\d+[a-z]*,[A-Za-z0-9+/]+={0,2}(?: v\d+[a-z]*,[A-Za-z0-9+/]+={0,2})*$/
const base64Digests = /(?<=(?:^| )v1,)[A-Za-z0-9+/=]+/g

const standardWebhooks: Scheme = (header, secrets, delivery) => {
  const [id = '', timestamp = '', signature = ''] = requireHeaders(header, delivery)
  const isWellFormed = idFormat.test(id) && timestampFormat.test(timestamp) && signatureFormat.test(signature)
  if (!isWellFormed || !isFresh(timestamp)) throw new ApiError(delivery.errors.invalid)
  const keys = secrets.map(decodeWebhookSecret)
  const digests = [...signature.matchAll(base64Digests)].flatMap(
    ([digest]) => parseBase64Digest(digest) ?? [],
  )
  return createVerifier(delivery, keys, digests, `${id}.${timestamp}.`)
}

const schemes: Readonly<Record<SignatureScheme, Scheme>> = {
  stripe,
  'hmac-sha256': hmacSha256,
  'timestamped-hmac-sha256': timestampedHmacSha256,
  'standard-webhooks': standardWebhooks,
}

type Secrets = { readonly [N in DeliverySecret]?: readonly string[] | undefined }

// The code may be the same as for a bad signature, which alone would mislead the operator, so the message says what is
// missing. That helps no attacker: without a secret, nothing is accepted.
const createNoSecretError = ({ errors, secret }: Delivery) =>
  errors.noSecret === errors.invalid
    ? new ApiError(
        errors.noSecret,
        {},
        { message: `No secret is set for this endpoint: the operator must set ${secret}.` },
      )
    : new ApiError(errors.noSecret)

export const createDeliveryPort = (settings: Secrets): DeliveryPort => ({
  requireSignature(label, header) {
    const delivery = deliveries[label]
    const secrets = settings[delivery.secret]
    if (secrets === undefined) throw createNoSecretError(delivery)
    return schemes[delivery.scheme](header, secrets, delivery)
  },
})
