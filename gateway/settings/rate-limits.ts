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
  /** Whether a use may be given back: then none that was refused stays counted, and none is left for long. */
  readonly isReturnable: boolean
}

/** Null is without limit. */
export type Rates = Readonly<Record<LimitName, Rate | null>>

// Whoever guesses from many addresses is held to this.
const codesOfOneLink: RateSetting = { count: 100, seconds: 3600 }

const exactly = (rate: RateSetting | null): Rate | null => rate && { ...rate, atOnce: 1, isReturnable: false }

const returnable = (rate: RateSetting | null): Rate | null =>
  rate && { ...rate, atOnce: 1, isReturnable: true }

// A visitor's page asks often. One in twenty is no more than another instance may be short of.
const roughly = (rate: RateSetting | null): Rate | null =>
  rate && {
    ...rate,
    atOnce: Math.min(1000, Math.max(1, Math.floor(rate.count / 20))),
    isReturnable: false,
  }

/** The limits that the settings name. */
export const readRates = (settings: Settings): Rates => ({
  'public-reads': roughly(settings.RATE_LIMIT_PUBLIC_READS),
  'share-events': roughly(settings.RATE_LIMIT_SHARE_EVENTS),
  'access-codes': returnable(settings.RATE_LIMIT_ACCESS_CODES),
  'access-codes-of-link': returnable(settings.RATE_LIMIT_ACCESS_CODES && codesOfOneLink),
  analytics: exactly(settings.RATE_LIMIT_ANALYTICS),
})
