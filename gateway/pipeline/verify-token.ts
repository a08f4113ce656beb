import { createRemoteJWKSet, errors } from 'jose'
import QuickLRU from 'quick-lru'
import { ApiError } from '#contracts/errors.ts'
import { readEmail } from '#contracts/shared/email.ts'
import type { Actor } from '#native-routes/ports.ts'
import type { VerifiedToken } from '../request/context.ts'
import { verifyWithKeySet } from './verify-with-key-set.ts'

export interface TokenSettings {
  readonly issuer: string
  readonly audience: string
  readonly jwksUrl: string
}

export interface TokenVerifier {
  /**
   * Returns null for an invalid or expired token; throws `authentication_unavailable` if the key set cannot be fetched.
   */
  verify(token: string): Promise<VerifiedToken | null>
  /** The same without waiting; undefined for a token that was not verified recently. */
  peek(token: string): VerifiedToken | null | undefined
}

interface CachedToken extends VerifiedToken {
  readonly token: string
  readonly kid: string | undefined
  readonly expiresAtMs: number
  readonly evictAtMs: number
}

const algorithms = ['RS256', 'ES256', 'EdDSA']
const cacheSize = 10_000
const cacheTtlMs = 60_000

// The end of its signature tells a token from all others, and is hashed in a fraction of the time.
const cacheKeyOf = (token: string) => token.slice(-32)

// Three base64url segments as in RFC 7515: no padding, no other alphabet, no impossible length.
const segment = '(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2}|[A-Za-z0-9_-]{3})?'
const compactToken = new RegExp(`^(?=[^.])${segment}\\.(?=[^.])${segment}\\.(?=.)${segment}$`)
const maxTokenLength = 8192

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

// These codes of jose's errors say that the key set cannot be fetched; all others say that the token is invalid.
const keySetErrorCodes = ['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID']
const isInvalidToken = (error: unknown) =>
  error instanceof errors.JOSEError && !keySetErrorCodes.includes(error.code)

interface VerifierOptions {
  /** Runs work that outlives the request, on platforms that would otherwise cancel it with the request. */
  readonly inBackground?: ((work: Promise<unknown>) => void) | undefined
}

// The key set never expires, so that clients stay signed in while the issuer is down. It is fetched again in the
// background, and immediately for a key that it does not contain.
const refetchAfterMs = 300_000

/**
 * Verifies access tokens with the issuer's published keys. A verified token is cached for at most one minute, and
 * evicted when its key leaves the key set. Its expiry is checked on each request.
 */
export const createTokenVerifier = (
  { issuer, audience, jwksUrl }: TokenSettings,
  { inBackground = () => undefined }: VerifierOptions = {},
): TokenVerifier => {
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: 3000,
    cooldownDuration: 1000,
    cacheMaxAge: Number.POSITIVE_INFINITY,
  })
  const cache = new QuickLRU<string, CachedToken>({ maxSize: cacheSize })

  let refetchAt = Date.now() + refetchAfterMs
  const refetchWhenDue = (now: number) => {
    if (now < refetchAt) return
    refetchAt = now + refetchAfterMs
    inBackground(
      keys
        .reload()
        .catch(() => undefined)
        .finally(clearPublishedKids),
    )
  }

  // `jwks()` returns a deep copy of the key set, so its key ids are cached until the set may have changed.
  let publishedKids: ReadonlySet<string | undefined> | null = null
  const clearPublishedKids = () => {
    publishedKids = null
  }
  const isKeyPublished = (kid: string | undefined) => {
    publishedKids ??= new Set((keys.jwks()?.keys ?? []).map((key) => key.kid))
    return kid === undefined || publishedKids.has(kid)
  }

  const verify = async (token: string): Promise<CachedToken | null> => {
    try {
      const { payload, protectedHeader } = await verifyWithKeySet(token, keys, {
        issuer,
        audience,
        algorithms,
        requiredClaims: ['exp', 'sub'],
        currentDate: new Date(),
      })
      const actor = readActor(payload)
      const expiresAtMs = (payload.exp ?? 0) * 1000
      const isExpired = () => expiresAtMs <= Date.now()
      const evictAtMs = Date.now() + cacheTtlMs
      return actor && { token, actor, kid: protectedHeader.kid, expiresAtMs, evictAtMs, isExpired }
    } catch (error) {
      if (isInvalidToken(error)) return null
      throw authenticationUnavailable(error)
    } finally {
      clearPublishedKids()
    }
  }

  const peek = (token: string) => {
    if (token.length > maxTokenLength) return null
    // Read once: every request asks here, and the cache would read the clock again.
    const now = Date.now()
    refetchWhenDue(now)
    const cached = cache.get(cacheKeyOf(token))
    if (cached?.token === token && now < cached.evictAtMs && isKeyPublished(cached.kid))
      return cached.expiresAtMs <= now ? null : cached
    return compactToken.test(token) ? undefined : null
  }

  return {
    peek,
    async verify(token) {
      const known = peek(token)
      if (known !== undefined) return known
      const verified = await verify(token)
      if (verified) cache.set(cacheKeyOf(token), verified)
      return verified
    },
  }
}
