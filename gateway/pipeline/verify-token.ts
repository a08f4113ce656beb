import { createRemoteJWKSet, errors } from 'jose'
import QuickLRU from 'quick-lru'
import { ApiError } from '#contracts/errors.ts'
import type { Actor } from '#native-routes/ports.ts'
import { verifyByKeySet } from './verify-by-key-set.ts'

export interface TokenSettings {
  readonly issuer: string
  readonly audience: string
  readonly jwksUrl: string
}

/** A token whose signature and claims are good. */
export interface VerifiedToken {
  readonly actor: Actor
  /** Whether it has expired by now: it was good when it was verified, and a request may take long. */
  isExpired(): boolean
}

/** Null for a bad or expired token; throws `authentication_unavailable` when no key can be had. */
export type VerifyToken = (token: string) => Promise<VerifiedToken | null>

interface RememberedToken extends VerifiedToken {
  readonly kid: string | undefined
}

const algorithms = ['RS256', 'ES256', 'EdDSA']
const rememberedTokens = 10_000
const rememberedMs = 60_000

// Three segments of base64url as RFC 7515 writes it: no padding, no other alphabet, no impossible length.
const segment = '(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2}|[A-Za-z0-9_-]{3})?'
const compactToken = new RegExp(`^(?=[^.])${segment}\\.(?=[^.])${segment}\\.(?=.)${segment}$`)
const longestToken = 8192

const storableText = (claim: unknown, longest: number): claim is string =>
  typeof claim === 'string' &&
  claim !== '' &&
  claim.isWellFormed() &&
  Array.from(claim).length <= longest &&
  !/\p{Cc}/u.test(claim)

const claimsOf = ({ sub, email, email_verified }: Record<string, unknown>): Actor | null =>
  storableText(sub, 128)
    ? {
        accountId: sub,
        email: storableText(email, 254) ? email.toLowerCase() : null,
        emailVerified: email_verified === true,
      }
    : null

const unavailable = (cause: unknown) =>
  new ApiError('authentication_unavailable', {}, { cause, headers: { 'retry-after': '1' } })

// jose reports a bad token by errors with a code of their own; what is left is a key set that cannot be had.
const keySetFaults = ['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID']
const isTokenFault = (error: unknown) =>
  error instanceof errors.JOSEError && !keySetFaults.includes(error.code)

interface VerifierOptions {
  /** Keeps a fetch going that no caller waits for, where the platform would stop it with the request. */
  readonly inBackground?: ((work: Promise<unknown>) => void) | undefined
}

// The key set is never too old to use: an issuer that is down must not take every signed-in caller with it. It
// is refetched in the background, and at once for a key that it does not name.
const refetchAfterMs = 300_000

/**
 * Verifies access tokens against the issuer's published keys. A verified token is remembered for at most a
 * minute, and forgotten when its key leaves the key set; its expiry is checked each time.
 */
export const createTokenVerifier = (
  { issuer, audience, jwksUrl }: TokenSettings,
  { inBackground = () => undefined }: VerifierOptions = {},
): VerifyToken => {
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: 3000,
    cooldownDuration: 1000,
    cacheMaxAge: Number.POSITIVE_INFINITY,
  })
  const verified = new QuickLRU<string, RememberedToken>({ maxSize: rememberedTokens, maxAge: rememberedMs })

  let refetchAt = Date.now() + refetchAfterMs
  const refetchWhenDue = () => {
    if (Date.now() < refetchAt) return
    refetchAt = Date.now() + refetchAfterMs
    inBackground(
      keys
        .reload()
        .catch(() => undefined)
        .finally(forgetPublished),
    )
  }

  // The library hands its key set out as a deep copy, so what it names is remembered until the set may have changed.
  let published: ReadonlySet<string | undefined> | null = null
  const forgetPublished = () => {
    published = null
  }
  const isKeyPublished = (kid: string | undefined) => {
    published ??= new Set((keys.jwks()?.keys ?? []).map((key) => key.kid))
    return kid === undefined || published.has(kid)
  }

  const verify = async (token: string): Promise<RememberedToken | null> => {
    try {
      const { payload, protectedHeader } = await verifyByKeySet(token, keys, {
        issuer,
        audience,
        algorithms,
        requiredClaims: ['exp', 'sub'],
        currentDate: new Date(),
      })
      const actor = claimsOf(payload)
      const expiresAtMs = (payload.exp ?? 0) * 1000
      return actor && { actor, kid: protectedHeader.kid, isExpired: () => expiresAtMs <= Date.now() }
    } catch (error) {
      if (isTokenFault(error)) return null
      throw unavailable(error)
    } finally {
      forgetPublished()
    }
  }

  return async (token) => {
    if (token.length > longestToken) return null
    refetchWhenDue()
    const remembered = verified.get(token)
    if (remembered && isKeyPublished(remembered.kid)) return remembered.isExpired() ? null : remembered
    if (!compactToken.test(token)) return null
    const fresh = await verify(token)
    if (fresh) verified.set(token, fresh)
    return fresh
  }
}
