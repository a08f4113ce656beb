import { ApiError } from '#contracts/errors.ts'
import type { Auth } from '#contracts/route-table.ts'
import type { Actor } from '#native-routes/ports.ts'
import type { VerifiedToken, VerifyToken } from './verify-token.ts'

export interface Credentials {
  readonly verifyToken: VerifyToken
  /** The bearer token of the internal surface; undefined closes it. */
  readonly internalToken: string | undefined
}

const unauthorized = () => new ApiError('unauthorized', {}, { headers: { 'www-authenticate': 'Bearer' } })

// RFC 6750 section 2.1; the scheme's name is case-insensitive.
const bearerTokenOf = (authorization: string | undefined) =>
  /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? null

const sha256 = async (text: string) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))

/** Compares two secrets in a time that tells nothing of where they differ. */
const isSameSecret = async (given: string, expected: string) => {
  const [left, right] = await Promise.all([sha256(given), sha256(expected)])
  return left.reduce((difference, byte, index) => difference | (byte ^ (right[index] ?? 0)), 0) === 0
}

const requireInternalToken = async (token: string | null, expected: string | undefined) => {
  if (token === null || expected === undefined || !(await isSameSecret(token, expected))) throw unauthorized()
}

/**
 * The token of the actor that a row's auth asks for, null where there need not be one. A webhook is signed, not signed
 * in: its signature is checked against the raw body by the webhook itself.
 */
export const authenticate = async (
  auth: Auth,
  authorization: string | undefined,
  { verifyToken, internalToken }: Credentials,
): Promise<VerifiedToken | null> => {
  if (auth === 'public' || auth === 'signature') return null
  const token = bearerTokenOf(authorization)
  if (auth === 'internal') {
    await requireInternalToken(token, internalToken)
    return null
  }
  const verified = token === null ? null : await verifyToken(token)
  if (verified === null && auth !== 'actor?') throw unauthorized()
  return verified
}

/** The actor of a token as of now: one that has expired since counts as none. Throws `unauthorized` as `authenticate` does. */
export const requireUnexpiredActor = (auth: Auth, token: VerifiedToken | null): Actor | null => {
  if (!token?.isExpired()) return token?.actor ?? null
  if (auth !== 'actor?') throw unauthorized()
  return null
}
