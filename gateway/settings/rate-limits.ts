import * as z from 'zod'
import type { LimitName } from '#contracts/shared/rate-limits.ts'
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

interface RateSetting {
  readonly count: number
  readonly seconds: number
}

export interface Rate extends RateSetting {
  /** How many uses all instances together may hold in advance. One instance cannot use what another holds. */
  readonly maxHeld: number
  /** Whether uses can be refunded. If so, exhaustion is cached only briefly. */
  readonly isRefundable: boolean
}

/** Null means unlimited. */
export type Rates = Readonly<Record<LimitName, Rate | null>>

const createExactRate = (rate: RateSetting | null): Rate | null =>
  rate && { ...rate, maxHeld: 0, isRefundable: false }

const createRefundableRate = (rate: RateSetting | null): Rate | null =>
  rate && { ...rate, maxHeld: 0, isRefundable: true }

// Visitors' pages send many requests, so instances hold uses in advance. Uses that an instance still holds when the
// rest of the limit is used up are lost. So the instances together hold at most a twentieth of a limit, and nothing of
// a limit below twenty.
const createSharedRate = (rate: RateSetting | null): Rate | null =>
  rate && { ...rate, maxHeld: Math.floor(rate.count / 20), isRefundable: false }

// Each use is up to 16 KiB stored for a day, so an account stores at most 1.4 GB.
const storedResponses: RateSetting = { count: 3600, seconds: 3600 }

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
