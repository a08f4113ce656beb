import type { Label } from '#contracts/route-table.ts'
import type { Reader } from '#db/client/connection.ts'
import { findContractResult } from '#db/queries/evidence/contract-results.ts'
import { listComparedDays } from '#db/queries/evidence/evidence-counts.ts'
import { findEvidenceSet } from '#db/queries/evidence/evidence-sets.ts'
import { listSevereMismatches } from '#db/queries/evidence/mismatches.ts'
import { listLiveKeys, listUnknownInstances, unknownTimeoutS } from '#db/queries/routing/gateway-instances.ts'
import { findLastMoveTime, listFailedCode } from '#db/queries/routing/route-audit.ts'
import { findFleetObservation } from '#db/queries/routing/route-observations.ts'
import { listRouteStates } from '#db/queries/routing/route-states.ts'
import { listRouteUsage } from '#db/queries/routing/route-usage.ts'
import { findDatabaseTimeMs } from '#db/queries/statement-timestamp.ts'
import { dayMs, minuteMs } from '#shared/durations.ts'
import type { EvidenceKeys } from '../../model/evidence-keys.ts'
import { hasFailed } from '../../model/failed-code.ts'
import { mergeAccountSamples } from '../../model/gate/account-sample.ts'
import { addComparisonSums, addCounts } from '../../model/gate/comparison-sums.ts'
import type {
  ComparisonEvidence,
  GateInput,
  StatusCoverage,
  StepEvidence,
} from '../../model/gate/gate-input.ts'
import { type RouteScope, scopesOf } from '../../model/route-scope.ts'
import { initialStateOf, type RouteState } from '../../model/route-state.ts'
import { isRejectionAlarmed } from '../../model/stop/rejections.ts'
import { type CodeState, FleetState } from '../../model/stop/stored-observations.ts'
import { parseRouteStates } from '../../model/stored-state.ts'
import { parseEvidenceSet, parseFoldedSums } from './evidence-sets.ts'

export type StoredComparisons = NonNullable<Awaited<ReturnType<typeof readComparisons>>>

// The period starts at the beginning of yesterday, because counts are stored by day.
const computeRate = (recentComparisons: number, firstAt: number, now: number) => {
  const since = Math.max(firstAt, Math.floor(now / dayMs) * dayMs - dayMs)
  return recentComparisons / Math.max(1, (now - since) / minuteMs)
}

/** The same number of days as in `listRouteUsage`. */
const usageDays = 7

const sumResponses = (statuses: Readonly<Record<string, number>>) =>
  Object.values(statuses).reduce((sum, responses) => sum + responses, 0)

const toCoverage = (
  responses: Readonly<Record<string, number>>,
  compared: Readonly<Record<string, number>>,
): readonly StatusCoverage[] =>
  Object.entries(responses).map(([status, count]) => ({
    status: Number(status),
    responses: count,
    comparisons: compared[status] ?? 0,
  }))

/** Returns what is stored about the comparisons of one code; null if no evaluation has counted any yet. */
export const readComparisons = async (db: Reader, label: Label, evidenceKey: string, now: number) => {
  const row = await findEvidenceSet(db, label, evidenceKey)
  if (row === null) return null
  const { test, alarm, alarmAt } = parseEvidenceSet(row)
  const days = await listComparedDays(db, label, evidenceKey)
  const usage = await listRouteUsage(db, label)
  const sums = addComparisonSums([parseFoldedSums(row), ...days])
  const recent = days.filter(({ isRecent }) => isRecent)
  const firstAt = Date.parse(row.firstAt)
  const severe =
    sums.regressions + sums.critical > 0 ? await listSevereMismatches(db, label, evidenceKey) : []
  const statuses = addCounts(usage.map((day) => day.statuses))
  const evidence: ComparisonEvidence = {
    evidenceKey,
    test,
    firstAt,
    coreRequestsPerDay: sumResponses(statuses) / usageDays,
    comparisonsPerMinute: computeRate(addComparisonSums(recent).comparisons, firstAt, now),
    transients: sums.transients,
    copies: sums.copies,
    drops: sums.drops,
    statuses: toCoverage(statuses, sums.statuses),
    shapes: Object.entries(addCounts(usage.map(({ shapes }) => shapes))).map(([shape, responses]) => ({
      shape,
      responses,
      comparisons: sums.shapes[shape] ?? 0,
    })),
    accounts: sums.accounts,
    activeAccounts: mergeAccountSamples(usage.map(({ accounts }) => accounts)),
    alarm,
    mainDifference: severe[0] ?? null,
  }
  const differenceAt = Math.max(0, ...severe.map(({ lastAt }) => Date.parse(lastAt)))
  return {
    sums,
    evidence,
    /** When a comparison last raised an alarm, in Unix milliseconds; null if never. */
    alarmAt,
    /** When a leak or regression was last found, in Unix milliseconds; 0 if none is stored. */
    differenceAt,
  }
}

/** Returns when a route, or a scope that contains it, last moved; null if never. */
export const readLastMove = async (db: Reader, label: Label): Promise<number | null> => {
  const at = await findLastMoveTime(db, scopesOf(label))
  return at === null ? null : Date.parse(at)
}

// Only observations of this code in this version of the state count.
const readCode = async (db: Reader, { version }: RouteState, label: Label, evidenceKey: string) => {
  const { data } = FleetState.safeParse(await findFleetObservation(db, label))
  if (data?.version !== version) return null
  return data.codes.find((code) => code.evidenceKey === evidenceKey) ?? null
}

// An alarm counts even while it still waits to be compared with the route's peers.
const findAlarm = (code: CodeState | null): StepEvidence['alarm'] => {
  if (code === null) return null
  if (code.errors.alarmedAt !== null) return 'errors'
  if (isRejectionAlarmed(code.rejections)) return 'rejections'
  return code.slowness.alarmedAt === null ? null : 'slowness'
}

const findStart = (
  lastMove: number | null,
  state: RouteState,
  evidenceKey: string,
  firstAt: number | null,
) => {
  if (lastMove === null || state.evidenceKey === evidenceKey) return lastMove
  // Different code was deployed after the move. `firstAt` is when it was first compared.
  return firstAt === null ? null : Math.max(lastMove, firstAt)
}

/** Returns what was observed about one code during a route's current step; null if the step's start is unknown. */
const readStep = async (
  db: Reader,
  label: Label,
  state: RouteState,
  evidenceKey: string,
  comparisons: StoredComparisons | null,
  now: number,
): Promise<StepEvidence | null> => {
  if (state.weightBp === 0) return null
  const startedAt = findStart(
    await readLastMove(db, label),
    state,
    evidenceKey,
    comparisons?.evidence.firstAt ?? null,
  )
  if (startedAt === null) return null
  const code = await readCode(db, state, label, evidenceKey)
  const nativeRequests = code?.native.total.requests ?? 0
  const { alarmAt = null, evidence } = comparisons ?? {}
  const isMismatchRecent = alarmAt !== null && alarmAt > startedAt
  return {
    evidenceKey,
    startedAt,
    nativeRequests,
    nativeRequestsPerMinute: nativeRequests / Math.max(1, (now - startedAt) / minuteMs),
    alarm: (isMismatchRecent ? evidence?.alarm : null) ?? findAlarm(code),
  }
}

export type GateContext = Awaited<ReturnType<typeof readGateContext>>

/** Reads the inputs that all gates share. With a label, leaves out the other routes' evidence keys. */
export const readGateContext = async (db: Reader, label?: Label) => {
  const { valid } = parseRouteStates(await listRouteStates(db))
  return {
    states: new Map<RouteScope, RouteState>(valid.map((state) => [state.scope, state])),
    liveKeys: await listLiveKeys(db, label),
    /** The number of instances that have stopped reporting, and may still be running different code. */
    unknownInstances: (await listUnknownInstances(db, unknownTimeoutS)).length,
    /** Unix milliseconds, by the database's clock. */
    now: await findDatabaseTimeMs(db),
  }
}

export const stateOf = ({ states }: Pick<GateInput, 'states'>, label: Label): RouteState =>
  states.get(label) ?? initialStateOf(label)

// If different code has been stopped since, the state no longer shows that this code was stopped.
const readJudgedStates = async (
  db: Reader,
  context: GateContext,
  label: Label,
  evidenceKey: string | null,
): Promise<GateInput['states']> => {
  const { states } = context
  const state = stateOf(context, label)
  if (evidenceKey === null || !hasFailed(state, evidenceKey, await listFailedCode(db, [label]))) return states
  return new Map(states).set(label, { ...state, failedEvidenceKey: evidenceKey })
}

const readContract = async (
  db: Reader,
  label: Label,
  evidenceKey: string,
): Promise<GateInput['contract']> => {
  const result = await findContractResult(db, label, evidenceKey)
  if (result === null) return null
  const { problems, forbiddingDifferences, validUntil } = result
  return {
    evidenceKey,
    problems,
    forbiddingDifferences,
    validUntil: validUntil === null ? null : Date.parse(validUntil),
  }
}

export const readGateInput = async (
  db: Reader,
  context: GateContext,
  label: Label,
  evidenceKeys: EvidenceKeys,
): Promise<{ readonly input: GateInput; readonly comparisons: StoredComparisons | null }> => {
  const { liveKeys, unknownInstances, now } = context
  const evidenceKey = evidenceKeys.get(label) ?? null
  const comparisons = evidenceKey === null ? null : await readComparisons(db, label, evidenceKey, now)
  const state = stateOf(context, label)
  const input: GateInput = {
    label,
    states: await readJudgedStates(db, context, label, evidenceKey),
    evidenceKey,
    instances: {
      live: liveKeys.length + unknownInstances,
      onKey: liveKeys.filter((keys) => keys[label] === evidenceKey).length,
    },
    contract: evidenceKey === null ? null : await readContract(db, label, evidenceKey),
    comparisons: comparisons?.evidence ?? null,
    step: evidenceKey === null ? null : await readStep(db, label, state, evidenceKey, comparisons, now),
    now,
  }
  return { input, comparisons }
}
