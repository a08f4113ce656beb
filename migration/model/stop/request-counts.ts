import { minuteMs } from '#shared/durations.ts'
import type { RequestCounts, RequestTally } from './stored-observations.ts'

/** A failure that takes at least this long is late. Unless something stalls, a handler fails much sooner. */
export const lateErrorMs = 2000

export interface StreamContext {
  /** Requests that native served with the stream's code. */
  readonly native: RequestTally
  /** Requests that native served with any code. */
  readonly route: RequestTally
  readonly core: RequestTally
  /** Requests that native served on all routes, including this one. */
  readonly allRoutes: RequestTally
  readonly isDatabaseSlow: () => boolean
}

export type TimedCounts = Pick<RequestCounts, 'timed' | 'slow'>

const countNames = ['requests', 'errors', 'sharedErrors', 'lateErrors', 'timed', 'slow'] as const

export const createRequestCounts = (): RequestCounts => ({
  requests: 0,
  errors: 0,
  sharedErrors: 0,
  lateErrors: 0,
  timed: 0,
  slow: 0,
})

export const createRequestTally = (): RequestTally => ({
  total: createRequestCounts(),
  current: createRequestCounts(),
  previous: createRequestCounts(),
  halfMinute: 0,
})

export const halfMinuteOf = (now: number) => Math.floor((2 * now) / minuteMs)

/** Begins a new half minute once the current one is over. Keeps the counts of the one before and drops older ones. */
export const advanceTally = (tally: RequestTally, halfMinute: number) => {
  if (halfMinute === tally.halfMinute) return
  tally.previous = halfMinute === tally.halfMinute + 1 ? tally.current : createRequestCounts()
  tally.current = createRequestCounts()
  tally.halfMinute = halfMinute
}

const addCounts = (counts: RequestCounts, added: RequestCounts) => {
  for (const name of countNames) counts[name] += added[name]
}

export const countRequest = (
  { total, current }: RequestTally,
  failed: boolean,
  hasCoreFailed: boolean,
  isLate: boolean,
  isTimed: boolean,
  isSlow: boolean,
) => {
  for (const counts of [total, current]) {
    counts.requests += 1
    if (failed) counts.errors += 1
    if (failed && hasCoreFailed) counts.sharedErrors += 1
    if (failed && isLate) counts.lateErrors += 1
    if (isTimed) counts.timed += 1
    if (isSlow) counts.slow += 1
  }
}

export const addToTally = (tally: RequestTally, added: RequestCounts) => {
  addCounts(tally.total, added)
  addCounts(tally.current, added)
}

export const addSuccesses = (tally: RequestTally, requests: number) => {
  for (const counts of [tally.total, tally.current]) {
    counts.requests += requests
    counts.timed += requests
  }
}

/** Returns the counts of the last 30 to 60 seconds. */
export const countRecent = ({ current, previous }: RequestTally): RequestCounts => {
  const recent = { ...current }
  addCounts(recent, previous)
  return recent
}

export const subtractCounts = (counts: RequestCounts, before: RequestCounts): RequestCounts => {
  const difference = { ...counts }
  for (const name of countNames) difference[name] -= before[name]
  return difference
}

export const rateOf = (bad: number, requests: number) => (requests === 0 ? 0 : bad / requests)
