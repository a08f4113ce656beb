import type { LimitName } from '#native-routes/ports.ts'
import type { Settings } from './settings.ts'

/** So many in so many seconds. */
interface RateSetting {
  readonly count: number
  readonly seconds: number
}

export interface Rate extends RateSetting {
  /** How many uses an instance counts in one go; what it does not need of them is lost to the other instances. */
  readonly atOnce: number
}

/** Null is without limit. */
export type Rates = Readonly<Record<LimitName, Rate | null>>

// Whoever guesses from many addresses is held to this.
const codesOfOneLink: RateSetting = { count: 100, seconds: 3600 }

const exactly = (rate: RateSetting | null): Rate | null => rate && { ...rate, atOnce: 1 }

// A visitor's page asks often. One in twenty is no more than another instance may be short of.
const roughly = (rate: RateSetting | null): Rate | null =>
  rate && { ...rate, atOnce: Math.min(1000, Math.max(1, Math.floor(rate.count / 20))) }

/** The limits that the settings name. */
export const ratesOf = (settings: Settings): Rates => ({
  'public-reads': roughly(settings.RATE_LIMIT_PUBLIC_READS),
  'share-events': roughly(settings.RATE_LIMIT_SHARE_EVENTS),
  'access-codes': exactly(settings.RATE_LIMIT_ACCESS_CODES),
  'access-codes-of-link': exactly(settings.RATE_LIMIT_ACCESS_CODES && codesOfOneLink),
  analytics: exactly(settings.RATE_LIMIT_ANALYTICS),
})
