import { type Comparison, compareRates, maxWaitMs, type RatedRequests } from './compare-rates.ts'
import { type CusumParameters, createCusumStream, discardPeriod, observe } from './cusum.ts'
import { countRecent, type RouteTallies, type TimedCounts } from './request-counts.ts'
import type { SlownessStream } from './stored-observations.ts'

/** What was as slow as native: the core or the other native routes. */
type SlownessPeer = 'core' | 'routes'

/** What a route's slowness is compared with. */
export interface SlownessContext extends RouteTallies {
  /** Whether polls of the database take longer than usual. */
  readonly isDatabaseSlow: () => boolean
}

/** The verdict on an alarm. `peer` is null if only this route is slow. */
export interface SlownessVerdict {
  readonly peer: SlownessPeer | 'database' | null
}

/** With fewer requests, a peer says nothing about the cause. */
const minPeerTimed = 20

/**
 * By chance, two fractions differ this much in fewer than 1 of 100,000 cases. Strict, because a shared slowdown raises
 * many alarms.
 */
const minEvidence = 12

/** How long an alarm without a peer waits to be decided: long enough for a rarely used peer to serve a request. */
const minWaitMs = 60_000

export const createSlownessStream = (): SlownessStream => ({
  cusum: createCusumStream(),
  coreBefore: { timed: 0, slow: 0 },
  othersBefore: { timed: 0, slow: 0 },
  alarmedAt: null,
})

/**
 * Remembers what the peers have served while the sum is zero, because the next requests may begin a period. Call this
 * before adding requests to any tally.
 */
export const markPeriodStart = (
  { cusum, coreBefore, othersBefore }: SlownessStream,
  { route, core, allRoutes }: Pick<SlownessContext, 'route' | 'core' | 'allRoutes'>,
) => {
  if (cusum.sum > 0) return
  coreBefore.timed = core.total.timed
  coreBefore.slow = core.total.slow
  othersBefore.timed = allRoutes.total.timed - route.total.timed
  othersBefore.slow = allRoutes.total.slow - route.total.slow
}

/** Discards the observations since the sum was last zero, because they do not concern this route. */
export const discardSlowness = (stream: SlownessStream) => {
  discardPeriod(stream.cusum)
  stream.alarmedAt = null
}

const subtract = (counts: TimedCounts, before: TimedCounts): TimedCounts => ({
  timed: counts.timed - before.timed,
  slow: counts.slow - before.slow,
})

interface SlownessPeerCounts {
  readonly peer: SlownessPeer
  /** What the peer has served since the sum was last zero. */
  readonly period: TimedCounts
  /** What it served in the last 30 to 60 seconds. */
  readonly recent: TimedCounts
}

// The core comes first while it serves any requests, because its requests are of the same kind as native's.
const listPeers = (
  { coreBefore, othersBefore }: SlownessStream,
  { route, core, allRoutes }: SlownessContext,
): readonly SlownessPeerCounts[] => {
  const others = subtract(allRoutes.total, route.total)
  return [
    { peer: 'core', period: subtract(core.total, coreBefore), recent: countRecent(core) },
    {
      peer: 'routes',
      period: subtract(others, othersBefore),
      recent: subtract(countRecent(allRoutes), countRecent(route)),
    },
  ]
}

const toRated = ({ timed, slow }: TimedCounts): RatedRequests => ({ requests: timed, bad: slow })

const compareWith = ({ period, recent }: SlownessPeerCounts, own: RatedRequests): Comparison => {
  const isRecentLarger = recent.timed >= minPeerTimed && recent.timed > period.timed
  if (isRecentLarger && compareRates(own, toRated(recent), minEvidence) === 'similar') return 'similar'
  return period.timed < minPeerTimed ? 'undecided' : compareRates(own, toRated(period), minEvidence)
}

const decide = (
  stream: SlownessStream,
  context: SlownessContext,
  waitedMs: number,
): SlownessVerdict | null => {
  for (const counts of listPeers(stream, context)) {
    const { peer, period, recent } = counts
    if (period.timed <= 0 && recent.timed <= 0) continue
    const comparison = compareWith(counts, stream.cusum)
    if (comparison !== 'undecided') return { peer: comparison === 'similar' ? peer : null }
    if (waitedMs < maxWaitMs) return null
    // The peer has served enough requests, and chance still explains the difference.
    if (period.timed >= minPeerTimed) return { peer }
  }
  if (context.isDatabaseSlow()) return { peer: 'database' }
  return waitedMs < minWaitMs ? null : { peer: null }
}

/**
 * Adds timed requests, which are already in the tallies, to the stream, and returns the verdict on an alarm. The alarm
 * waits up to 15 minutes for a peer that shows whether the route alone is slow: the core, or else the other native
 * routes, or else the database polls.
 */
export const observeSlowness = (
  stream: SlownessStream,
  parameters: CusumParameters,
  counted: RatedRequests,
  context: SlownessContext,
  now: number,
): SlownessVerdict | null => {
  if (!observe(stream.cusum, parameters, counted.requests, counted.bad)) {
    stream.alarmedAt = null
    return null
  }
  stream.alarmedAt ??= now
  const verdict = decide(stream, context, now - stream.alarmedAt)
  if (verdict?.peer) discardSlowness(stream)
  return verdict
}
