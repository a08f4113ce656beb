import { createHash } from 'node:crypto'
import { ApiError } from '#contracts/errors.ts'
import type { Auth } from '#contracts/route-table.ts'
import type { Row } from '#contracts/shared/row.ts'
import type { Actor } from '#native-routes/ports.ts'
import { isSameDigest } from '#shared/hmac-sha256.ts'
import type { RequestContext, UnauthorizedReason, VerifiedToken } from '../request/context.ts'
import type { TokenVerifier } from './verify-token.ts'

export interface Credentials {
  readonly tokens: Pick<TokenVerifier, 'verify' | 'peek'>
  /** The bearer token for internal routes. Undefined disables them. */
  readonly internalToken: string | undefined
}

/** The error `unauthorized`, with a reason that only the log shows. */
export class UnauthorizedError extends ApiError<'unauthorized'> {
  readonly reason: UnauthorizedReason

  constructor(reason: UnauthorizedReason) {
    super('unauthorized')
    this.reason = reason
  }
}

/** The scheme is case-insensitive (RFC 6750, section 2.1). */
export const parseBearerToken = (authorization = ''): string | null =>
  /^bearer +(\S.*)$/i.exec(authorization)?.[1] ?? null

// Hashed, so that neither the length nor the content of the secret shows in the time that a comparison takes.
const digestOf = (text: string) => createHash('sha256').update(text).digest()

const reasonWithoutToken = (authorization: string | undefined): UnauthorizedReason =>
  authorization === undefined ? 'token_missing' : 'malformed'

/** If none is configured, no token is right. */
export const findInternalTokenFault = (
  authorization: string | undefined,
  expected: string | undefined,
): UnauthorizedReason | null => {
  const token = parseBearerToken(authorization)
  if (token === null) return reasonWithoutToken(authorization)
  const isExpected = expected !== undefined && isSameDigest(digestOf(token), digestOf(expected))
  return isExpected ? null : 'internal_token'
}

/** Throws `unauthorized`. Webhooks have no token: they verify their signature against the raw body. */
export const authenticate = async (
  auth: Auth,
  authorization: string | undefined,
  { tokens, internalToken }: Credentials,
): Promise<VerifiedToken | null> => {
  if (auth === 'public' || auth === 'signature') return null
  if (auth === 'internal') {
    const fault = findInternalTokenFault(authorization, internalToken)
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
 * Finds a request's token before authentication, if it is valid. Returns null if the row has no actor, the token is
 * invalid or the keys cannot be fetched. Without a token, the core serves the request. Never rejects.
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

/** If the token has expired since it was verified, throws `unauthorized`, or returns null if the actor is optional. */
export const requireUnexpiredActor = (auth: Auth, token: VerifiedToken | null): Actor | null => {
  if (!token?.isExpired()) return token?.actor ?? null
  if (auth !== 'actor?') throw new UnauthorizedError('token_expired')
  return null
}
