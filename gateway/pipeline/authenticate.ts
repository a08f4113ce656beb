import { ApiError } from '#contracts/errors.ts'
import type { Auth } from '#contracts/route-table.ts'
import type { Row } from '#contracts/shared/row.ts'
import type { Actor } from '#native-routes/ports.ts'
import type { RequestContext, VerifiedToken } from '../request/context.ts'
import type { TokenVerifier } from './verify-token.ts'

export interface Credentials {
  readonly tokens: TokenVerifier
  /** The bearer token of the internal routes; undefined disables them. */
  readonly internalToken: string | undefined
}

const usualScheme = 'Bearer '
const space = 32

/** The token of an `Authorization` header; RFC 6750, section 2.1: the scheme is case-insensitive. */
export const parseBearerToken = (authorization = ''): string | null => {
  // As almost all clients send it, without the time that the expression takes. No token contains a space: what does is
  // not found by it.
  if (authorization.startsWith(usualScheme) && authorization.charCodeAt(usualScheme.length) !== space)
    return authorization.slice(usualScheme.length) || null
  return /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? null
}

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
  { tokens, internalToken }: Credentials,
): Promise<VerifiedToken | null> => {
  if (auth === 'public' || auth === 'signature') return null
  if (auth === 'internal') {
    if (!(await hasInternalToken(authorization, internalToken))) throw new ApiError('unauthorized')
    return null
  }
  const token = parseBearerToken(authorization)
  const verified = token === null ? null : await tokens.verify(token)
  if (verified === null && auth !== 'actor?') throw new ApiError('unauthorized')
  return verified
}

/**
 * Finds the account of a request before it is authenticated, and keeps the token on the context. Null if the row has no
 * actor or the token is not valid, and if its keys cannot be fetched: the core serves such requests. Never rejects.
 */
export const createAccountFinder = ({ tokens }: Pick<Credentials, 'tokens'>) => {
  const keep = (request: RequestContext, verified: VerifiedToken | null) => {
    request.verifiedToken = verified
    return verified?.actor.accountId ?? null
  }
  return ({ auth }: Pick<Row, 'auth'>, request: RequestContext): string | null | Promise<string | null> => {
    const token = auth.startsWith('actor') ? parseBearerToken(request.header('authorization')) : null
    if (token === null) return null
    const known = tokens.peek(token)
    if (known !== undefined) return keep(request, known)
    return tokens.verify(token).then(
      (verified) => keep(request, verified),
      () => null,
    )
  }
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
