import type { LimitName } from '#native-routes/ports.ts'
import type { Settings } from './settings.ts'

/** At most `count` uses in `seconds`. */
interface RateSetting {
  readonly count: number
  readonly seconds: number
}

export interface Rate extends RateSetting {
  /** How many uses an instance reserves at a time; reserved uses are not available to other instances. */
  readonly batchSize: number
  /** Whether uses can be refunded. Rejected uses are then refunded, and exhaustion is only cached briefly. */
  readonly isRefundable: boolean
}

/** Null means unlimited. */
export type Rates = Readonly<Record<LimitName, Rate | null>>

const createExactRate = (rate: RateSetting | null): Rate | null =>
  rate && { ...rate, batchSize: 1, isRefundable: false }

const createRefundableRate = (rate: RateSetting | null): Rate | null =>
  rate && { ...rate, batchSize: 1, isRefundable: true }

// Pages of visitors send many requests, so uses are reserved in batches. A batch is a twentieth of the limit, which
// bounds what it takes from other instances.
const createBatchedRate = (rate: RateSetting | null): Rate | null =>
  rate && {
    ...rate,
    batchSize: Math.min(1000, Math.max(1, Math.floor(rate.count / 20))),
    isRefundable: false,
  }

/** Reads the rate limits from the settings. */
export const readRates = (settings: Settings): Rates => ({
  'public-reads': createBatchedRate(settings.RATE_LIMIT_PUBLIC_READS),
  'share-events': createBatchedRate(settings.RATE_LIMIT_SHARE_EVENTS),
  'access-codes': createRefundableRate(settings.RATE_LIMIT_ACCESS_CODES),
  'access-codes-of-link': createRefundableRate(settings.RATE_LIMIT_ACCESS_CODES_LINK),
  analytics: createExactRate(settings.RATE_LIMIT_ANALYTICS),
  reanalyses: createRefundableRate(settings.RATE_LIMIT_REANALYSES),
  uploads: createRefundableRate(settings.RATE_LIMIT_UPLOADS),
  billing: createExactRate(settings.RATE_LIMIT_BILLING),
})
