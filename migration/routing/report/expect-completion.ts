import { labels } from '#contracts/shared/row.ts'
import { isTwoSided } from '../route-scope.ts'
import { findBetaPrimeQuantile } from './beta-quantile.ts'
import { isDone, isFullyNativeAt } from './classify-rows.ts'
import { dayMs, formatDay } from './report-month.ts'
import { isMove, type StateHistory } from './state-history.ts'

/** The pace is that of the last 90 days. */
export const paceDays = 90
/** Fewer moves, or a shorter time, say hardly anything about the pace. */
export const leastMoves = 3
export const leastDays = 7

const quantiles = { earliest: 0.1, median: 0.5, latest: 0.9 } as const

interface Pace {
  /** Routes that have become native in this time and still are. */
  readonly moves: number
  /** Of the observation, in milliseconds since the epoch of Unix; null if no route was ever moved. */
  readonly from: number | null
  readonly days: number
}

/** How many routes have become native lately and still are. */
const measurePace = (history: StateHistory, at: number): Pace => {
  const first = history.changes.find((change) => isMove(change) && change.at <= at)
  if (!first) return { moves: 0, from: null, days: 0 }
  const from = Math.max(first.at, at - paceDays * dayMs)
  const moved = labels.filter(
    (label) => isTwoSided(label) && isDone(history, label, at) && !isFullyNativeAt(history, label, from - 1),
  )
  return { moves: moved.length, from, days: (at - from) / dayMs }
}

/**
 * When the last row moves if routes become native as the events of a Poisson process. The rate is not known but observed:
 * after `moves` in `days`, it has the gamma distribution with the shape `moves` and the rate `days`. The time of the
 * `remaining`-th move from now, in units of `days`, is then the ratio of two gamma variables.
 */
export const findCompletionDays = (
  probability: number,
  remaining: number,
  { moves, days }: Pick<Pace, 'moves' | 'days'>,
): number => days * findBetaPrimeQuantile(probability, remaining, moves)

const findOutcome = (remaining: number, { moves, days }: Pace) => {
  if (remaining === 0) return 'complete'
  return moves < leastMoves || days < leastDays ? 'unknown' : 'expected'
}

/** When the core serves no row any more if routes keep moving at the present pace. */
export const expectCompletion = (history: StateHistory, at: number) => {
  const remaining = labels.filter((label) => !isDone(history, label, at)).length
  const pace = measurePace(history, at)
  const outcome = findOutcome(remaining, pace)
  const dateAt = (probability: number) =>
    formatDay(at + findCompletionDays(probability, remaining, pace) * dayMs)
  return {
    outcome,
    remaining,
    moves: pace.moves,
    observedFrom: pace.from === null ? null : new Date(pace.from).toISOString(),
    observedDays: pace.days,
    dates:
      outcome === 'expected'
        ? {
            earliest: dateAt(quantiles.earliest),
            median: dateAt(quantiles.median),
            latest: dateAt(quantiles.latest),
          }
        : null,
  } as const
}
