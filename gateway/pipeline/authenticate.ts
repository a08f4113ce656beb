import { ApiError } from '#contracts/errors.ts'
import type { Auth } from '#contracts/route-table.ts'
import type { Actor } from '#native-routes/ports.ts'
import type { VerifiedToken, VerifyToken } from './verify-token.ts'

export interface Credentials {
  readonly verifyToken: VerifyToken
  /** The bearer token of the internal routes; undefined disables them. */
  readonly internalToken: string | undefined
}

/** The token of an `Authorization` header; RFC 6750, section 2.1: the scheme is case-insensitive. */
export const parseBearerToken = (authorization: string | undefined) =>
  /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? null

const sha256 = async (text: string) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))

/** Compares two secrets in constant time. */
const isSameSecret = async (received: string, expected: string) => {
  const [left, right] = await Promise.all([sha256(received), sha256(expected)])
  return left.reduce((difference, byte, index) => difference | (byte ^ (right[index] ?? 0)), 0) === 0
}

/** Whether a request has the bearer token of the internal routes; never if none is set. */
export const hasInternalToken = async (authorization: string | undefined, expected: string | undefined) => {
  const token = parseBearerToken(authorization)
  return token !== null && expected !== undefined && (await isSameSecret(token, expected))
}

/**
 * Verifies the token that a row's auth requires. Returns null where the row requires no actor. Throws `unauthorized`. A
 * webhook has no token: it verifies its signature against the raw body itself.
 */
export const authenticate = async (
  auth: Auth,
  authorization: string | undefined,
  { verifyToken, internalToken }: Credentials,
): Promise<VerifiedToken | null> => {
  if (auth === 'public' || auth === 'signature') return null
  if (auth === 'internal') {
    if (!(await hasInternalToken(authorization, internalToken))) throw new ApiError('unauthorized')
    return null
  }
  const token = parseBearerToken(authorization)
  const verified = token === null ? null : await verifyToken(token)
  if (verified === null && auth !== 'actor?') throw new ApiError('unauthorized')
  return verified
}

/**
 * The actor of a token that was verified earlier in the request. A token that has expired since then counts as none:
 * throws `unauthorized` unless the row's actor is optional.
 */
export const requireUnexpiredActor = (auth: Auth, token: VerifiedToken | null): Actor | null => {
  if (!token?.isExpired()) return token?.actor ?? null
  if (auth !== 'actor?') throw new ApiError('unauthorized')
  return null
}
