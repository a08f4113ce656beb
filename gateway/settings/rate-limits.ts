import * as z from 'zod'
import type { LimitName } from '#native-routes/ports.ts'
import { asSecret } from './describe-value.ts'
import { certificates, succeeds } from './setting-types.ts'
import type { Settings } from './settings.ts'

const usesPerSeconds = /^([1-9]\d{0,8})\/([1-9]\d{0,6})$/

/** `count/seconds`, or null for `off`. */
const rate = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .refine((text) => text === 'off' || usesPerSeconds.test(text), {
      error: 'must be <count>/<seconds> or off',
    })
    .transform((text) => {
      const [, count, seconds] = usesPerSeconds.exec(text) ?? []
      return count === undefined ? null : { count: Number(count), seconds: Number(seconds) }
    })

const redisUrlError =
  'must be a URL such as redis://user:password@host:6379/0 or rediss://..., with URL-encoded user and password'

const redisUrl = asSecret(
  z
    .url({ protocol: /^rediss?$/, error: redisUrlError, abort: true })
    .refine((url) => succeeds(() => decodeURIComponent(url)) && /^\/?\d*$/.test(new URL(url).pathname), {
      error: redisUrlError,
    }),
)

/** The setting of each rate limit, and of the server that counts them. */
export const rateLimitSettings = {
  RATE_LIMIT_PUBLIC_READS: rate('300/60'),
  RATE_LIMIT_SHARE_EVENTS: rate('60/60'),
  RATE_LIMIT_ACCESS_CODES: rate('10/600'),
  RATE_LIMIT_ACCESS_CODES_LINK: rate('1000/3600'),
  RATE_LIMIT_ANALYTICS: rate('60/60'),
  RATE_LIMIT_REANALYSES: rate('20/3600'),
  RATE_LIMIT_UPLOADS: rate('300/3600'),
  RATE_LIMIT_BILLING: rate('30/3600'),
  RATE_LIMIT_INVITATIONS: rate('300/3600'),
  REDIS_URL: redisUrl.optional(),
  REDIS_CA: certificates.optional(),
}

/** At most `count` uses in `seconds`. */
interface RateSetting {
  readonly count: number
  readonly seconds: number
}

export interface Rate extends RateSetting {
  /** How many uses all instances together may hold in advance; those are not available to other instances. */
  readonly maxAdvance: number
  /** Whether uses can be refunded. Exhaustion is then only cached briefly. */
  readonly isRefundable: boolean
}

/** Null means unlimited. */
export type Rates = Readonly<Record<LimitName, Rate | null>>

const createExactRate = (rate: RateSetting | null): Rate | null =>
  rate && { ...rate, maxAdvance: 0, isRefundable: false }

const createRefundableRate = (rate: RateSetting | null): Rate | null =>
  rate && { ...rate, maxAdvance: 0, isRefundable: true }

// Pages of visitors send many requests, so instances hold uses in advance. Uses that are held when the others are used up
// are lost, so they are at most a twentieth of the limit: none of a limit below twenty.
const createSharedRate = (rate: RateSetting | null): Rate | null =>
  rate && { ...rate, maxAdvance: Math.floor(rate.count / 20), isRefundable: false }

// Each use is up to 16 KiB that are stored for a day: an account stores 1.4 GB at most.
const storedResponses: RateSetting = { count: 3600, seconds: 3600 }

/** Reads the rate limits from the settings. */
export const readRates = (settings: Settings): Rates => ({
  'public-reads': createSharedRate(settings.RATE_LIMIT_PUBLIC_READS),
  'share-events': createSharedRate(settings.RATE_LIMIT_SHARE_EVENTS),
  'access-codes': createRefundableRate(settings.RATE_LIMIT_ACCESS_CODES),
  'access-codes-of-link': createRefundableRate(settings.RATE_LIMIT_ACCESS_CODES_LINK),
  analytics: createExactRate(settings.RATE_LIMIT_ANALYTICS),
  reanalyses: createRefundableRate(settings.RATE_LIMIT_REANALYSES),
  uploads: createRefundableRate(settings.RATE_LIMIT_UPLOADS),
  billing: createRefundableRate(settings.RATE_LIMIT_BILLING),
  invitations: createRefundableRate(settings.RATE_LIMIT_INVITATIONS),
  'idempotency-keys': createSharedRate(storedResponses),
})
