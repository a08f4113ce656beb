import { type Comparison, compareRates, maxWaitMs, type RatedRequests } from './compare-rates.ts'
import { type CusumParameters, type CusumStream, createCusumStream, discardPeriod, observe } from './cusum.ts'
import { countRecent, type RouteTallies, type TimedCounts } from './request-counts.ts'

/** Who was as slow as native. */
type SlownessPeer = 'core' | 'routes'

/** A stream of slow responses, and what the core and the other routes had served when its sum was last zero. */
export interface SlownessStream {
  readonly cusum: CusumStream
  readonly coreBefore: { timed: number; slow: number }
  readonly othersBefore: { timed: number; slow: number }
  /** When the sum reached the threshold, in milliseconds; null if it has not, or if the alarm is settled. */
  alarmedAt: number | null
}

/** What the slowness of a route is compared with. */
export interface SlownessContext extends RouteTallies {
  /** Whether polls of the database take longer than usual. */
  readonly isDatabaseSlow: () => boolean
}

/** The peer is null if an alarm is about this route alone. */
export interface SlownessVerdict {
  readonly peer: SlownessPeer | 'database' | null
}

/** Below this number the requests of a peer say nothing. */
const minPeerTimed = 20

/** Two fractions that differ by chance reach this in fewer than 1 of 100,000 cases: a shared slowdown raises many alarms. */
const minEvidence = 12

/** Where there is no peer, an alarm is decided on after this time, in which a rarely used one serves a request. */
const minWaitMs = 60_000

export const createSlownessStream = (): SlownessStream => ({
  cusum: createCusumStream(),
  coreBefore: { timed: 0, slow: 0 },
  othersBefore: { timed: 0, slow: 0 },
  alarmedAt: null,
})

/** Remembers what the peers have served if a period may begin. Call it before adding requests to any tally. */
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

/** Discards the observations behind the sum, because they are not about this route. */
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
  /** Since the sum was last zero. */
  readonly period: TimedCounts
  /** Of the last 30 to 60 seconds. */
  readonly recent: TimedCounts
}

// The core serves the same kind of requests, so it is the better comparison while it serves any.
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
    // The peer served enough requests, and chance still explains the difference.
    if (period.timed >= minPeerTimed) return { peer }
  }
  if (context.isDatabaseSlow()) return { peer: 'database' }
  return waitedMs < minWaitMs ? null : { peer: null }
}

/**
 * Adds timed requests, already in the tallies, to the stream; returns the verdict on an alarm. Only this route is slow if the
 * peer has less than half its fraction of slow requests since the slowness began and chance does not explain that. The
 * slowness is shared if the peer has at least half. Until either is clear, the alarm waits for more requests, for at most 15
 * minutes. The peer is the core or, where the core serves nothing, the other native routes, which a slow database affects
 * too. Without any peer, only the database polls can tell.
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
