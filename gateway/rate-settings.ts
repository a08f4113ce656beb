import type { LimitName } from '#native-routes/ports.ts'
import type { Settings } from './settings.ts'

/** So many in so many seconds. */
interface Rate {
  readonly count: number
  readonly seconds: number
}

/** Null is without limit. */
export type Rates = Readonly<Record<LimitName, Rate | null>>

// Whoever guesses from many addresses is held to this.
const codesOfOneLink: Rate = { count: 100, seconds: 3600 }

/** The limits that the settings name. */
export const ratesOf = (settings: Settings): Rates => ({
  'public-reads': settings.RATE_LIMIT_PUBLIC_READS,
  'share-events': settings.RATE_LIMIT_SHARE_EVENTS,
  'access-codes': settings.RATE_LIMIT_ACCESS_CODES,
  'access-codes-of-link': settings.RATE_LIMIT_ACCESS_CODES && codesOfOneLink,
  analytics: settings.RATE_LIMIT_ANALYTICS,
})
