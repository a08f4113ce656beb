import type { LimitName } from '#native-routes/ports.ts'
import { rate } from './setting-types.ts'
import type { Settings } from './settings.ts'

/** The setting of each rate limit. */
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
