import { ApiError } from '#contracts/errors.ts'
import type { Auth } from '#contracts/route-table.ts'
import type { Row } from '#contracts/shared/row.ts'
import type { Actor } from '#native-routes/ports.ts'
import type { RequestContext, VerifiedToken } from '../request/context.ts'
import type { UnauthorizedReason } from '../request/outcome.ts'
import type { TokenVerifier } from './verify-token.ts'

export interface Credentials {
  readonly tokens: TokenVerifier
  /** The bearer token of the internal routes; undefined disables them. */
  readonly internalToken: string | undefined
}

/** `unauthorized`, with the reason for the log. */
export class UnauthorizedError extends ApiError<'unauthorized'> {
  readonly reason: UnauthorizedReason

  constructor(reason: UnauthorizedReason) {
    super('unauthorized')
    this.reason = reason
  }
}

/** The token of an `Authorization` header; RFC 6750, section 2.1: the scheme is case-insensitive. */
export const parseBearerToken = (authorization = ''): string | null =>
  /^bearer +(\S.*)$/i.exec(authorization)?.[1] ?? null

const sha256 = async (text: string) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))

/** Compares two secrets in constant time. */
const isSameSecret = async (received: string, expected: string) => {
  const [left, right] = await Promise.all([sha256(received), sha256(expected)])
  return left.reduce((difference, byte, index) => difference | (byte ^ (right[index] ?? 0)), 0) === 0
}

const reasonWithoutToken = (authorization: string | undefined): UnauthorizedReason =>
  authorization === undefined ? 'token_missing' : 'malformed'

/** Why a request lacks the bearer token of the internal routes; null if it has it, which is never if none is set. */
export const findInternalTokenFault = async (
  authorization: string | undefined,
  expected: string | undefined,
): Promise<UnauthorizedReason | null> => {
  const token = parseBearerToken(authorization)
  if (token === null) return reasonWithoutToken(authorization)
  const isExpected = expected !== undefined && (await isSameSecret(token, expected))
  return isExpected ? null : 'internal_token'
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
    const fault = await findInternalTokenFault(authorization, internalToken)
    if (fault !== null) throw new UnauthorizedError(fault)
    return null
  }
  const token = parseBearerToken(authorization)
  const verified = token === null ? reasonWithoutToken(authorization) : await tokens.verify(token)
  if (typeof verified !== 'string') return verified
  if (auth !== 'actor?') throw new UnauthorizedError(verified)
  return null
}

/**
 * Finds the valid token of a request before it is authenticated. Null if the row has no actor or the token is not valid, and
 * if its keys cannot be fetched: the core serves such requests. Never rejects.
 */
export const createTokenFinder = ({ tokens }: Pick<Credentials, 'tokens'>) => {
  const selectValid = (verified: VerifiedToken | UnauthorizedReason) =>
    typeof verified === 'string' ? null : verified
  return (
    { auth }: Pick<Row, 'auth'>,
    context: Pick<RequestContext, 'header'>,
  ): VerifiedToken | null | Promise<VerifiedToken | null> => {
    const token = auth.startsWith('actor') ? parseBearerToken(context.header('authorization')) : null
    if (token === null) return null
    const known = tokens.peek(token)
    if (known !== undefined) return selectValid(known)
    return tokens.verify(token).then(selectValid, () => null)
  }
}

/**
 * The actor of a token that was verified earlier in the request. A token that has expired since then counts as none:
 * throws `unauthorized` unless the row's actor is optional.
 */
export const requireUnexpiredActor = (auth: Auth, token: VerifiedToken | null): Actor | null => {
  if (!token?.isExpired()) return token?.actor ?? null
  if (auth !== 'actor?') throw new UnauthorizedError('token_expired')
  return null
}
