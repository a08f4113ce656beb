import {
  createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose'
import { ApiError } from '#contracts/errors.ts'
import { readEmail } from '#contracts/shared/email.ts'
import type { Actor } from '#native-routes/ports.ts'
import type { UnauthorizedReason, VerifiedToken } from '../request/context.ts'

type KeySet = ReturnType<typeof createRemoteJWKSet>

const isSignedWithAnotherKey = (error: unknown) => error instanceof errors.JWSSignatureVerificationFailed

// Tokens need not name their key (RFC 7515, section 4.1.4), so try every key that could match.
const verifyWithAnyKey = async (
  token: string,
  keys: KeySet,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> => {
  try {
    return await jwtVerify(token, keys, options)
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options)
      } catch (keyError) {
        if (!isSignedWithAnotherKey(keyError)) throw keyError
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

// If a token without a `kid` matches none, fetches the keys again once, as jose itself does for a token with a `kid`.
// Throws jose's errors.
const verifyWithKeySet = async (token: string, keys: KeySet, options: JWTVerifyOptions) => {
  try {
    return await verifyWithAnyKey(token, keys, options)
  } catch (error) {
    const mayHaveNewKey = isSignedWithAnotherKey(error) && decodeProtectedHeader(token).kid === undefined
    if (!mayHaveNewKey || keys.coolingDown) throw error
    await keys.reload()
    return verifyWithAnyKey(token, keys, options)
  }
}

// jose's codes for a key set that could not be fetched. All others mean an invalid token.
const keySetErrorCodes = ['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID']

const reasonsByCode = new Map<string, UnauthorizedReason>([
  [errors.JWTExpired.code, 'token_expired'],
  [errors.JWKSNoMatchingKey.code, 'unknown_key'],
  [errors.JOSEAlgNotAllowed.code, 'algorithm_not_allowed'],
  [errors.JWSSignatureVerificationFailed.code, 'signature'],
])

const reasonOfClaim = ({ claim, reason }: errors.JWTClaimValidationFailed): UnauthorizedReason => {
  if (claim === 'iss') return 'issuer'
  if (claim === 'aud') return 'audience'
  // If the claim is not a number, the reason is a different one, and the token counts as malformed.
  return claim === 'nbf' && reason === 'check_failed' ? 'token_not_yet_valid' : 'malformed'
}

/** Returns what is wrong with the token according to a jose error; null if the token is not to blame. */
const findTokenFault = (error: unknown): UnauthorizedReason | null => {
  if (!(error instanceof errors.JOSEError) || keySetErrorCodes.includes(error.code)) return null
  if (error instanceof errors.JWTClaimValidationFailed) return reasonOfClaim(error)
  return reasonsByCode.get(error.code) ?? 'malformed'
}

export interface TokenSettings {
  readonly issuer: string
  readonly audience: string
  readonly jwksUrl: string
  readonly clockToleranceS: number
}

export interface TokenVerifier {
  /** Throws `authentication_unavailable` if the keys cannot be fetched. */
  verify(token: string): Promise<VerifiedToken | UnauthorizedReason>
  /** Returns the result of `verify` without waiting; undefined if the token was not verified recently. */
  peek(token: string): VerifiedToken | UnauthorizedReason | undefined
  /** Fetches the keys before a request needs them. Resolves even if the issuer is down. */
  fetchKeys(): Promise<void>
}

interface TokenCacheLimits {
  /** Per generation. Two generations are kept. */
  readonly maxTokens: number
  /** Total length of a generation's tokens in characters, one byte each. */
  readonly maxLength: number
}

/**
 * Keeps the most recently used tokens in two generations. When the younger one is full, it replaces the older one.
 * The total length is limited too, because one token may be as long as all of a request's headers may be.
 */
export const createTokenCache = <T extends { readonly token: string }>(limits: TokenCacheLimits) => {
  let younger = new Map<string, T>()
  let older = new Map<string, T>()
  let length = 0

  const set = (cached: T) => {
    if (!younger.has(cached.token)) length += cached.token.length
    younger.set(cached.token, cached)
    if (younger.size < limits.maxTokens && length < limits.maxLength) return
    older = younger
    younger = new Map()
    length = 0
  }

  return {
    set,
    get(token: string): T | undefined {
      const young = younger.get(token)
      if (young) return young
      const old = older.get(token)
      if (!old) return undefined
      older.delete(token)
      set(old)
      return old
    },
  }
}

interface CachedToken extends VerifiedToken {
  readonly token: string
  readonly kid: string | undefined
  /** By the monotonic clock. */
  readonly evictAtMs: number
}

// Asymmetric only: with HS256, anyone who knows a published key could sign tokens with it.
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]
const cacheLimits = { maxTokens: 10_000, maxLength: 16_777_216 }
const cacheTtlMs = 60_000

// Three base64url segments as in RFC 7515, strictly: no padding and no impossible length. With the algorithm `none`,
// the last is empty.
const segment = '(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2}|[A-Za-z0-9_-]{3})?'
const compactToken = new RegExp(`^(?=[^.])${segment}\\.(?=[^.])${segment}\\.${segment}$`)

const maxSubjectLength = 128
const isStorableSubject = (claim: unknown): claim is string =>
  typeof claim === 'string' &&
  claim !== '' &&
  claim.isWellFormed() &&
  Array.from(claim).length <= maxSubjectLength &&
  !/\p{Cc}/u.test(claim)

const readActor = ({ sub, email, email_verified }: Record<string, unknown>): Actor | null =>
  isStorableSubject(sub)
    ? {
        accountId: sub,
        email: readEmail(email),
        emailVerified: email_verified === true,
      }
    : null

const authenticationUnavailable = (cause: unknown) =>
  new ApiError('authentication_unavailable', {}, { cause })

interface VerifierOptions {
  readonly inBackground?: ((work: Promise<unknown>) => void) | undefined
}

// The key set never expires, so clients stay signed in while the issuer is down. It is refreshed in the background, and
// immediately for an unknown key.
const refetchAfterMs = 300_000

/** Verified tokens are cached for at most a minute, and dropped when their key leaves the set. */
export const createTokenVerifier = (
  { issuer, audience, jwksUrl, clockToleranceS }: TokenSettings,
  { inBackground = () => undefined }: VerifierOptions = {},
): TokenVerifier => {
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: 3000,
    cooldownDuration: 1000,
    cacheMaxAge: Number.POSITIVE_INFINITY,
  })
  const cache = createTokenCache<CachedToken>(cacheLimits)

  const fetchKeys = () =>
    keys
      .reload()
      .catch(() => undefined)
      .finally(clearPublishedKids)
  let refetchAt = performance.now() + refetchAfterMs
  const refetchWhenDue = (now: number) => {
    if (now < refetchAt) return
    refetchAt = now + refetchAfterMs
    inBackground(fetchKeys())
  }

  // `jwks()` deep-copies the key set, so cache the key ids until the set may have changed.
  let publishedKids: ReadonlySet<string | undefined> | null = null
  const clearPublishedKids = () => {
    publishedKids = null
  }
  const isKeyPublished = (kid: string | undefined) => {
    publishedKids ??= new Set((keys.jwks()?.keys ?? []).map((key) => key.kid))
    return kid === undefined || publishedKids.has(kid)
  }

  const verify = async (token: string): Promise<CachedToken | UnauthorizedReason> => {
    try {
      const { payload, protectedHeader } = await verifyWithKeySet(token, keys, {
        issuer,
        audience,
        algorithms,
        requiredClaims: ['exp', 'sub'],
        currentDate: new Date(),
        clockTolerance: clockToleranceS,
      })
      const actor = readActor(payload)
      if (actor === null) return 'malformed'
      const expiresAtMs = ((payload.exp ?? 0) + clockToleranceS) * 1000
      // Both clocks are checked: a wall clock that is set back would prolong the token, and the monotonic clock stops
      // while the machine sleeps.
      const verifiedAt = performance.now()
      const endsAt = verifiedAt + expiresAtMs - Date.now()
      const isExpired = () => Date.now() >= expiresAtMs || performance.now() >= endsAt
      if (isExpired()) return 'token_expired'
      return { token, actor, kid: protectedHeader.kid, evictAtMs: verifiedAt + cacheTtlMs, isExpired }
    } catch (error) {
      const fault = findTokenFault(error)
      if (fault === null) throw authenticationUnavailable(error)
      return fault
    } finally {
      clearPublishedKids()
    }
  }

  const peek = (token: string) => {
    const now = performance.now()
    refetchWhenDue(now)
    const cached = cache.get(token)
    if (cached && now < cached.evictAtMs && isKeyPublished(cached.kid))
      return cached.isExpired() ? 'token_expired' : cached
    return compactToken.test(token) ? undefined : 'malformed'
  }

  return {
    peek,
    fetchKeys,
    async verify(token) {
      const known = peek(token)
      if (known !== undefined) return known
      const verified = await verify(token)
      if (typeof verified !== 'string') cache.set(verified)
      return verified
    },
  }
}
