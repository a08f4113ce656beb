import { z } from 'zod'
import {
  addCohortCounts,
  advanceCohorts,
  areErrorsShared,
  createCohortWindow,
  isSlownessShared,
} from './cohorts.ts'
import {
  type CusumParameters,
  type CusumStream,
  createCusumParameters,
  createCusumStream,
  discardPeriod,
  observe,
  thresholdFor,
} from './cusum.ts'
import { type MonitorDelta, StoredCounts } from './monitor-delta.ts'
import { errorRatesFor, type StopCause, slowRates } from './stop-rates.ts'

const count = z.number().nonnegative()

const stream = z.object({
  sum: count,
  requests: count,
  bad: count,
  requestsBefore: count,
  badBefore: count,
})

/** What all instances together have observed of a route since its state was last changed. */
export const FleetState = z.object({
  version: z.int(),
  errors: stream,
  slowness: stream,
  cohorts: z.object({ slot: z.number(), current: StoredCounts, previous: StoredCounts }),
})
export type FleetState = z.infer<typeof FleetState>

const createFleetState = (version: number): FleetState => ({
  version,
  errors: createCusumStream(),
  slowness: createCusumStream(),
  cohorts: createCohortWindow(),
})

/** Observations of several requests, whose alarm is void if the other side has the same problem. */
const hasAlarm = (
  observed: CusumStream,
  parameters: CusumParameters,
  requests: number,
  bad: number,
  isShared: () => boolean,
) => {
  if (!observe(observed, parameters, requests, bad)) return false
  if (!isShared()) return true
  discardPeriod(observed)
  return false
}

export interface FleetObservation {
  readonly state: FleetState
  /** Null if there is no alarm. */
  readonly cause: StopCause | null
}

/**
 * Adds what the instances have reported about one route. Reports on a former version of its state are ignored. An alarm
 * is reported again with each later report, until the state of the route has changed. `now` is in milliseconds since the
 * epoch.
 */
export const observeFleet = (
  before: FleetState | null,
  reports: readonly MonitorDelta[],
  now: number,
): FleetObservation => {
  const version = Math.max(before?.version ?? 0, ...reports.map((report) => report.version))
  const state = before?.version === version ? structuredClone(before) : createFleetState(version)
  const current = reports.filter((report) => report.version === version)
  advanceCohorts(state.cohorts, now)
  for (const report of current) addCohortCounts(state.cohorts.current, report)
  const sum = (countOf: (report: MonitorDelta) => number) =>
    current.reduce((total, report) => total + countOf(report), 0)

  const servesAll = current.some((report) => report.nativeShare === 'all')
  const threshold = thresholdFor(sum((report) => report.requestsPerDay))
  const goodErrorRate = Math.max(0, ...current.map((report) => report.goodErrorRate ?? 1))
  const errorRates = errorRatesFor(goodErrorRate)
  const hasErrorAlarm =
    errorRates !== null &&
    hasAlarm(
      state.errors,
      createCusumParameters(errorRates, threshold),
      sum((report) => report.nativeRequests),
      sum((report) => report.nativeErrors),
      () => areErrorsShared(state.errors, state.cohorts, servesAll),
    )
  const hasSlownessAlarm = hasAlarm(
    state.slowness,
    createCusumParameters(slowRates, threshold),
    sum((report) => report.nativeTimed),
    sum((report) => report.nativeSlow),
    () => isSlownessShared(state.slowness, state.cohorts, servesAll),
  )
  const slowness = hasSlownessAlarm ? 'slowness' : null
  return { state, cause: hasErrorAlarm ? 'errors' : slowness }
}
