import type { Rates } from './cusum.ts'
import type { ErrorVerdict } from './errors.ts'

/** What an alarm is about. */
export type StopCause = ErrorVerdict['cause'] | 'slowness' | 'rejections'

/** Who has the problem of a route as well: the core, the other routes, the polls of the database, or the route before. */
type AlarmPeer = 'core' | 'routes' | 'database' | 'past'

/** An alarm is void if there is a peer. */
export interface Alarm {
  readonly cause: StopCause
  readonly peer: AlarmPeer | null
}

/** The fraction of requests over the slow threshold. The core itself exceeds it in fewer than 5 %. */
export const slowRates: Rates = { good: 0.06, bad: 0.15 }

const defaultGoodErrorRate = 0.001

/** Above this error rate of the core, four times as many errors can no longer be told from chance. */
export const maxGoodErrorRate = 0.12

/**
 * The error rates for the usual rate of the core. Null if the core fails too often to compare native with it: the route
 * is to be held.
 */
export const errorRatesFor = (usualErrorRate: number): Rates | null => {
  const good = Math.max(defaultGoodErrorRate, usualErrorRate)
  return good > maxGoodErrorRate ? null : { good, bad: Math.min(0.5, Math.max(0.02, 4 * good)) }
}

/** The duration in milliseconds over which a native response is slow, for the usual p95 of the core. */
export const slowThresholdMs = (p95Ms: number) => p95Ms * 1.2 + 20
