import type { Rates } from './cusum.ts'

/** Fractions of requests that exceed the slow threshold. On the core, fewer than 5 % do. */
export const slowRates: Rates = { good: 0.06, bad: 0.15 }

const defaultGoodErrorRate = 0.001

/** If the core's error rate is higher than this, even four times as many errors may be due to chance. */
export const maxGoodErrorRate = 0.12

/**
 * Returns the error rates to tell apart, based on the core's usual rate. Returns null if the core fails too often to
 * compare native with it; the route should then be held. At the lowest rates, six failures in a row stop a route.
 */
export const errorRatesFor = (usualErrorRate: number): Rates | null => {
  const good = Math.max(defaultGoodErrorRate, usualErrorRate)
  return good > maxGoodErrorRate ? null : { good, bad: Math.min(0.5, Math.max(0.02, 4 * good)) }
}

/** Returns how many milliseconds make a native response slow, given the core's usual p95. */
export const slowThresholdMs = (p95Ms: number) => p95Ms * 1.2 + 20

/** Returns a bound that is above the usual rate in 39 of 40 cases (Wilson's score interval). */
export const upperBoundOf = (hits: number, trials: number) => {
  const rate = hits / trials
  const square = 4 / trials
  return (rate + square / 2 + Math.sqrt(square * (rate * (1 - rate) + square / 4))) / (1 + square)
}
