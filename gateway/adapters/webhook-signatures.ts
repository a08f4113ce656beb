import {
  type Delivery,
  type DeliverySecret,
  deliveries,
  type SignatureScheme,
} from '#contracts/deliveries.ts'
import { ApiError } from '#contracts/errors.ts'
import type { DeliveryHeader, VerifyBody } from '#native-routes/define-webhook.ts'
import type { DeliveryPort } from '#native-routes/ports.ts'
import { parseBase64Digest, parseHexDigest, verifyHmac } from '#shared/hmac-sha256.ts'

/**
 * Throws the error of the route if a header is missing, malformed or stale. Returns the function that verifies the
 * signature of exactly the received bytes, by any of the secrets.
 */
type Scheme = (header: DeliveryHeader, secrets: readonly string[], delivery: Delivery) => VerifyBody

const toleranceS = 300

/** Whether a time is within five minutes of now, which limits the replay of a captured delivery. */
const isFresh = (unixSeconds: string | undefined) =>
  Math.abs(Date.now() / 1000 - Number(unixSeconds)) <= toleranceS

/** Returns the values of the declared headers, in their order; throws if the first is missing. */
const requireHeaders = (header: DeliveryHeader, { headers, errors }: Delivery): readonly string[] => {
  const values = Object.keys(headers).map((name) => header(name) ?? '')
  if (!values[0]) throw new ApiError(errors.missing ?? errors.invalid)
  return values
}

/** One header with the digest of the body. */
const hmacSha256: Scheme = (header, secrets, delivery) => {
  const [value = ''] = requireHeaders(header, delivery)
  const signature = parseHexDigest(value)
  if (signature === null) throw new ApiError(delivery.errors.invalid)
  return async (rawBody) => {
    if (!secrets.some((secret) => verifyHmac(signature, secret, rawBody)))
      throw new ApiError(delivery.errors.invalid)
  }
}

const timeAndDigest = /^t=(\d{10}),v1=([0-9a-f]+)$/

/** One header, `t=<unix seconds>,v1=<digest>`; the digest is that of the time, a dot and the body. */
const timestampedHmacSha256: Scheme = (header, secrets, delivery) => {
  const [value = ''] = requireHeaders(header, delivery)
  const [, timestamp, digest = ''] = timeAndDigest.exec(value) ?? []
  const signature = parseHexDigest(digest)
  if (!isFresh(timestamp) || signature === null) throw new ApiError(delivery.errors.invalid)
  return async (rawBody) => {
    if (!secrets.some((secret) => verifyHmac(signature, secret, `${timestamp}.`, rawBody)))
      throw new ApiError(delivery.errors.invalid)
  }
}

// One time and at least one signature of the version that is verified.
const timeAndDigests = /^t=(\d{10})(?=.*,v1=)(?:,v\d+=[0-9a-f]+)+$/
const hexDigests = /(?<=,v1=)[0-9a-f]+/g

/** One header with a time and several signatures, one for each secret that the sender uses during a rotation. */
const stripe: Scheme = (header, secrets, delivery) => {
  const invalid = () => new ApiError(delivery.errors.invalid)
  const [value = ''] = requireHeaders(header, delivery)
  const timestamp = timeAndDigests.exec(value)?.[1]
  if (!isFresh(timestamp)) throw invalid()
  const digests = [...value.matchAll(hexDigests)].flatMap(([digest]) => parseHexDigest(digest) ?? [])
  return async (rawBody) => {
    const isSignedWith = (secret: string) =>
      digests.some((digest) => verifyHmac(digest, secret, `${timestamp}.`, rawBody))
    if (!secrets.some(isSignedWith)) throw invalid()
  }
}

const timestampFormat = /^\d{10}$/
// Without a comma, so a repeated header is not accepted as one id.
const idFormat = /^[!-+\--~]{1,255}$/
const signatureFormat =
  /^(?=(?:.* )?v1,)v\d+[a-z]*,[A-Za-z0-9+/]+={0,2}(?: v\d+[a-z]*,[A-Za-z0-9+/]+={0,2})*$/
const base64Digests = /(?<=(?:^| )v1,)[A-Za-z0-9+/=]+/g

/** The key in a Standard Webhooks secret. */
export const decodeWebhookSecret = (secret: string) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')

/** The Standard Webhooks specification: three headers, with the id, the time and the signatures. */
const standardWebhooks: Scheme = (header, secrets, delivery) => {
  const invalid = () => new ApiError(delivery.errors.invalid)
  const [id = '', timestamp = '', signature = ''] = requireHeaders(header, delivery)
  const isWellFormed = idFormat.test(id) && timestampFormat.test(timestamp) && signatureFormat.test(signature)
  if (!isWellFormed || !isFresh(timestamp)) throw invalid()
  const keys = secrets.map(decodeWebhookSecret)
  const digests = [...signature.matchAll(base64Digests)].flatMap(
    ([digest]) => parseBase64Digest(digest) ?? [],
  )
  return async (rawBody) => {
    const isSignedWith = (key: Uint8Array) =>
      digests.some((digest) => verifyHmac(digest, key, `${id}.${timestamp}.`, rawBody))
    if (!keys.some(isSignedWith)) throw invalid()
  }
}

const schemes: Readonly<Record<SignatureScheme, Scheme>> = {
  stripe,
  'hmac-sha256': hmacSha256,
  'timestamped-hmac-sha256': timestampedHmacSha256,
  'standard-webhooks': standardWebhooks,
}

type Secrets = { readonly [N in DeliverySecret]?: readonly string[] | undefined }

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

/** Verifies deliveries with the secrets of the moment in the settings. Without its secret, every delivery of a sender is rejected. */
export const createDeliveryPort = (settings: Secrets): DeliveryPort => ({
  requireSignature(label, header) {
    const delivery = deliveries[label]
    const secrets = settings[delivery.secret]
    if (secrets === undefined) throw createNoSecretError(delivery)
    return schemes[delivery.scheme](header, secrets, delivery)
  },
})
