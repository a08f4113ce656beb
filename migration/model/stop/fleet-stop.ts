import type { Label } from '#contracts/route-table.ts'
import type { StopCause } from './alarm.ts'
import { createCusumParameters, errorRatesFor, slowRates, thresholdFor } from './cusum.ts'
import { createErrorStream, markErrorPeriod, observeErrors } from './errors.ts'
import { observeRejections } from './rejections.ts'
import {
  addToTally,
  advanceTally,
  createRequestTally,
  halfMinuteOf,
  type StreamContext,
} from './request-counts.ts'
import { createSlownessStream, markPeriodStart, observeSlowness } from './slowness.ts'
import type { CodeState, FleetState, MonitorDelta, RequestTally } from './stored-observations.ts'

export interface FleetObservations {
  readonly routes: ReadonlyMap<Label, FleetState>
  readonly allRoutes: RequestTally
}

export interface FleetAlarm {
  readonly label: Label
  readonly version: number
  readonly cause: StopCause
  readonly evidenceKey: string | null
}

const maxCodes = 4

interface ReportedRoute {
  readonly label: Label
  readonly state: FleetState
  readonly reports: readonly MonitorDelta[]
}

const createFleetState = (version: number, epoch: number): FleetState => ({
  version,
  epoch,
  core: createRequestTally(),
  native: createRequestTally(),
  codes: [],
})

const createCodeState = (evidenceKey: string | null): CodeState => ({
  evidenceKey,
  errors: createErrorStream(),
  slowness: createSlownessStream(),
  rejections: {},
  native: createRequestTally(),
})

// If a row is deleted or a backup restored, versions start over, so the epoch decides which version is newer. An epoch
// that the database has not reached yet is from before a restore.
const selectReports = (
  label: Label,
  stored: FleetState | undefined,
  reported: readonly MonitorDelta[],
  epoch: number,
): ReportedRoute => {
  const before = stored && stored.epoch <= epoch ? structuredClone(stored) : null
  const valid = reported.filter((report) => report.epoch <= epoch)
  const newest = valid.reduce<FleetState | MonitorDelta | null>(
    (latest, report) => (latest && latest.epoch > report.epoch ? latest : report),
    before,
  )
  const version = newest?.version ?? 0
  const state = before?.version === version ? before : createFleetState(version, newest?.epoch ?? 0)
  state.epoch = newest?.epoch ?? 0
  return { label, state, reports: valid.filter((report) => report.version === version) }
}

const addReports = ({ state, reports }: ReportedRoute, allRoutes: RequestTally, now: number) => {
  for (const tally of [state.core, state.native, ...state.codes.map(({ native }) => native)])
    advanceTally(tally, halfMinuteOf(now))
  for (const { evidenceKey, native, core } of reports) {
    addToTally(state.core, core)
    addToTally(state.native, native)
    addToTally(allRoutes, native)
    const code = state.codes.find((known) => known.evidenceKey === evidenceKey)
    if (code) addToTally(code.native, native)
  }
}

const contextOf = (
  { native }: CodeState,
  { state, reports }: ReportedRoute,
  allRoutes: RequestTally,
): StreamContext => ({
  native,
  route: state.native,
  core: state.core,
  allRoutes,
  isDatabaseSlow: () => reports.some((report) => report.isDatabaseSlow),
})

// Runs before any report is added, because new code starts from what its peers have served so far.
const prepareCodes = (route: ReportedRoute, allRoutes: RequestTally) => {
  const { state, reports } = route
  const reported = new Set(
    reports.filter(({ native }) => native.requests > 0).map(({ evidenceKey }) => evidenceKey),
  )
  const known = new Map(state.codes.map((code) => [code.evidenceKey, code]))
  const current = [...reported].map((key) => known.get(key) ?? createCodeState(key))
  const others = state.codes.filter(({ evidenceKey }) => !reported.has(evidenceKey))
  state.codes = [...current, ...others].slice(0, maxCodes)
  for (const code of state.codes) {
    const context = contextOf(code, route, allRoutes)
    markErrorPeriod(code.errors, context)
    markPeriodStart(code.slowness, context)
  }
}

const findCause = (
  code: CodeState,
  route: ReportedRoute,
  allRoutes: RequestTally,
  now: number,
): StopCause | null => {
  const { reports } = route
  const ofCode = reports.filter(({ evidenceKey }) => evidenceKey === code.evidenceKey)
  const sum = (countOf: (report: MonitorDelta) => number) =>
    ofCode.reduce((total, report) => total + countOf(report), 0)
  const threshold = thresholdFor(reports.reduce((total, { requestsPerDay }) => total + requestsPerDay, 0))
  const context = contextOf(code, route, allRoutes)
  const errorRates = errorRatesFor(Math.max(0, ...ofCode.map(({ goodErrorRate }) => goodErrorRate ?? 1)))
  const slowness = observeSlowness(
    code.slowness,
    createCusumParameters(slowRates, threshold),
    { requests: sum(({ native }) => native.timed), bad: sum(({ native }) => native.slow) },
    context,
    now,
  )
  const errors =
    errorRates &&
    observeErrors(
      code.errors,
      createCusumParameters(errorRates, threshold),
      { requests: sum(({ native }) => native.requests), bad: sum(({ native }) => native.errors) },
      context,
      {
        isRateKnown: ofCode.some((report) => report.isRateKnown ?? true),
        isSelfCompared: ofCode.every((report) => report.isSelfCompared),
      },
      now,
    )
  const rejections = observeRejections(
    code.rejections,
    {
      ofCode: ofCode.flatMap(({ votes }) => votes ?? []),
      ofRoute: reports.flatMap(({ votes }) => votes ?? []),
      threshold,
    },
    now,
  )
  return [errors, rejections, slowness].find((alarm) => alarm?.peer === null)?.cause ?? null
}

const findAlarms = (route: ReportedRoute, allRoutes: RequestTally, now: number): FleetAlarm[] => {
  const { label, state, reports } = route
  return state.codes.flatMap((code) => {
    const { evidenceKey } = code
    if (!reports.some((report) => report.evidenceKey === evidenceKey)) return []
    const cause = findCause(code, route, allRoutes, now)
    return cause === null ? [] : [{ label, version: state.version, cause, evidenceKey }]
  })
}

/**
 * Adds what the instances reported about their routes, separately for each evidence key, so that an alarm names the
 * code that caused it. Ignores reports on earlier versions of a route's state. Repeats an alarm with each later report
 * until the state changes. `now` is in Unix milliseconds.
 */
export const observeFleet = (
  before: FleetObservations,
  reported: ReadonlyMap<Label, readonly MonitorDelta[]>,
  epoch: number,
  now: number,
): FleetObservations & { readonly alarms: readonly FleetAlarm[] } => {
  const allRoutes = structuredClone(before.allRoutes)
  const routes = [...reported].map(([label, reports]) =>
    selectReports(label, before.routes.get(label), reports, epoch),
  )
  advanceTally(allRoutes, halfMinuteOf(now))
  for (const route of routes) prepareCodes(route, allRoutes)
  for (const route of routes) addReports(route, allRoutes, now)
  return {
    routes: new Map(routes.map(({ label, state }) => [label, state])),
    allRoutes,
    alarms: routes.flatMap((route) => findAlarms(route, allRoutes, now)),
  }
}

export const noFleetObservations = (): FleetObservations => ({
  routes: new Map(),
  allRoutes: createRequestTally(),
})
