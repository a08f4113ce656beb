import {
  type Alarm,
  compareRates,
  maxWaitMs,
  observeAlarm,
  type RateComparison,
  type RatedRequests,
} from './alarm.ts'
import { type CusumParameters, createCusumStream } from './cusum.ts'
import { countRecent, type StreamContext, type TimedCounts } from './request-counts.ts'
import type { SlownessStream } from './stored-observations.ts'

/** With fewer requests, a peer says nothing about the cause. */
const minPeerTimed = 20

// By chance, two fractions differ this much in fewer than 1 of 100,000 cases. Strict, because a shared slowdown raises
// many alarms.
const minEvidence = 12

/** How long an alarm without a peer waits to be decided: long enough for a rarely used peer to serve a request. */
const minWaitMs = 60_000

export const createSlownessStream = (): SlownessStream => ({
  cusum: createCusumStream(),
  coreBefore: { timed: 0, slow: 0 },
  othersBefore: { timed: 0, slow: 0 },
  alarmedAt: null,
})

/** Call this before adding requests to any tally, because they may begin a period of slow responses. */
export const markPeriodStart = (
  { cusum, coreBefore, othersBefore }: SlownessStream,
  { route, core, allRoutes }: StreamContext,
) => {
  if (cusum.sum > 0) return
  coreBefore.timed = core.total.timed
  coreBefore.slow = core.total.slow
  othersBefore.timed = allRoutes.total.timed - route.total.timed
  othersBefore.slow = allRoutes.total.slow - route.total.slow
}

const subtract = (counts: TimedCounts, before: TimedCounts): TimedCounts => ({
  timed: counts.timed - before.timed,
  slow: counts.slow - before.slow,
})

interface Peer {
  readonly peer: 'core' | 'routes'
  /** What the peer has served since the sum was last zero. */
  readonly period: TimedCounts
  /** What the peer has served in the last 30 to 60 seconds. */
  readonly recent: TimedCounts
}

// The core comes first while it serves any requests, because its requests are of the same kind as native's.
const listPeers = (
  { coreBefore, othersBefore }: SlownessStream,
  { route, core, allRoutes }: StreamContext,
): readonly Peer[] => {
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

const compareWith = ({ period, recent }: Peer, own: RatedRequests): RateComparison => {
  const isRecentLarger = recent.timed >= minPeerTimed && recent.timed > period.timed
  if (isRecentLarger && compareRates(own, toRated(recent), minEvidence) === 'similar') return 'similar'
  return period.timed < minPeerTimed ? 'undecided' : compareRates(own, toRated(period), minEvidence)
}

const alarmWith = (peer: Alarm['peer']): Alarm => ({ cause: 'slowness', peer })

const decide = (stream: SlownessStream, context: StreamContext, waitedMs: number): Alarm | null => {
  for (const counts of listPeers(stream, context)) {
    const { peer, period, recent } = counts
    if (period.timed <= 0 && recent.timed <= 0) continue
    const comparison = compareWith(counts, stream.cusum)
    if (comparison !== 'undecided') return alarmWith(comparison === 'similar' ? peer : null)
    if (waitedMs < maxWaitMs) return null
    // The peer has served enough requests, and chance may still explain the difference.
    if (period.timed >= minPeerTimed) return alarmWith(peer)
  }
  if (context.isDatabaseSlow()) return alarmWith('database')
  return waitedMs < minWaitMs ? null : alarmWith(null)
}

/**
 * Adds timed requests to the stream (the tallies already contain them) and returns the alarm they raise, if any. The
 * alarm waits up to 15 minutes for a peer that shows whether the route alone is slow: the core, or else the other
 * native routes, or else the database polls.
 */
export const observeSlowness = (
  stream: SlownessStream,
  parameters: CusumParameters,
  counted: RatedRequests,
  context: StreamContext,
  now: number,
): Alarm | null =>
  observeAlarm(stream, parameters, counted, now, (waitedMs) => decide(stream, context, waitedMs))
