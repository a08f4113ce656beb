import type { Label } from '#contracts/route-table.ts'
import { isLabel, isTwoSided, labels } from '#contracts/shared/row.ts'
import type { Queryable } from '#db/client/connection.ts'
import { findEvidenceSet, listAlarmedSets } from '#db/queries/evidence/evidence-sets.ts'
import { insertJob } from '#db/queries/jobs/jobs.ts'
import { listRouteStates, lockRoutingEpoch } from '#db/queries/routing/route-states.ts'
import type { EvidenceKeys } from '../../model/evidence-keys.ts'
import { evaluateGate, formatStep, type GateResult, type StepChange } from '../../model/gate/evaluate-gate.ts'
import type { GateInput, GateLimits } from '../../model/gate/gate-input.ts'
import { hasPassedQuietly } from '../../model/gate/quiet-route.ts'
import { hasPassed } from '../../model/gate/sequential-test.ts'
import { isShadowable, scopesOf } from '../../model/route-scope.ts'
import { isDrill, type RouteState } from '../../model/route-state.ts'
import { parseRouteStates } from '../../model/stored-state.ts'
import { type ChangeOutcome, changeRouteState } from '../change-route-state.ts'
import { noticeOfReadyStep } from '../operator-notices.ts'
import type { RouteStop } from '../route-stops.ts'
import { lockGateEvaluation, parseEvidenceSet } from './evidence-sets.ts'
import { type GateContext, readGateContext, readGateInput, readLastMove, stateOf } from './read-gate-input.ts'

export interface GateOptions {
  readonly evidenceKeys: EvidenceKeys
  readonly limits: GateLimits
  /** Scopes whose state is fixed by this instance's settings. The instance moves none of their routes. */
  readonly fixedScopes: ReadonlySet<string>
}

interface AllowedStep {
  readonly label: Label
  readonly version: number
  readonly change: StepChange
}

/** A route has to stop if comparisons have raised an alarm since it last moved. A person takes a `recommended` step. */
export type GateOutcome =
  | { readonly kind: 'stop'; readonly stop: RouteStop }
  | (AllowedStep & { readonly kind: 'promoted'; readonly outcome: ChangeOutcome })
  | (AllowedStep & { readonly kind: 'recommended' })

const formatReason = ({ checks }: GateResult) =>
  `the gate permits it: ${checks.map(({ sentence }) => sentence).join(' ')}`

// Most routes are still waiting for comparisons. This cheap check avoids reading their coverage.
const hasEnoughComparisons = async (
  tx: Queryable,
  state: RouteState,
  label: Label,
  now: number,
  { evidenceKeys, limits }: GateOptions,
) => {
  const evidenceKey = evidenceKeys.get(label)
  if (evidenceKey === undefined) return false
  if (
    state.stage === 'proxy' ||
    !isShadowable(label) ||
    (state.weightBp > 0 && state.evidenceKey === evidenceKey)
  )
    return true
  const row = await findEvidenceSet(tx, label, evidenceKey)
  if (row === null) return false
  const { test, alarm } = parseEvidenceSet(row)
  if (alarm !== null) return false
  return (
    hasPassed(test, limits.test) || hasPassedQuietly({ test, firstAt: Date.parse(row.firstAt) }, limits, now)
  )
}

// An operator may have held or killed the route's area since its state was read. The route's own version does not show
// that.
const isAreaSwitched = async (tx: Queryable, label: Label) => {
  await lockRoutingEpoch(tx)
  const { valid } = parseRouteStates(await listRouteStates(tx))
  const areas = scopesOf(label).slice(1)
  return valid.some(({ scope, held, killed }) => areas.includes(scope) && (held || killed))
}

// Returns a stop if a quiet route's serving code has shown a single difference since the route last moved. On busier
// routes, comparisons raise an alarm instead, which `listStops` finds.
const findQuietStop = (
  { checks }: GateResult,
  { label, step }: GateInput,
  { version, weightBp, evidenceKey }: RouteState,
  differenceAt: number,
): RouteStop | null => {
  const hasDifference = checks.some(({ id, finding }) => id === 'comparisons' && finding === 'mismatch')
  if (!hasDifference || weightBp === 0 || step === null || step.evidenceKey !== evidenceKey) return null
  return differenceAt > step.startedAt
    ? { label, version, cause: 'mismatches', observer: 'fleet', evidenceKey }
    : null
}

const performStep = async (
  tx: Queryable,
  context: GateContext,
  label: Label,
  options: GateOptions,
): Promise<GateOutcome | null> => {
  const { evidenceKeys, limits } = options
  const state = stateOf(context, label)
  if (!(await hasEnoughComparisons(tx, state, label, context.now, options))) return null
  const { input, comparisons } = await readGateInput(tx, context, label, evidenceKeys)
  const result = evaluateGate(input, limits)
  const stop = findQuietStop(result, input, state, comparisons?.differenceAt ?? 0)
  if (stop) return { kind: 'stop', stop }
  const { action, change } = result.next
  if (change === null || (action !== 'promote' && action !== 'recommend')) return null
  const { version } = state
  if (action === 'recommend') {
    const step = { label, version, evidenceKey: input.evidenceKey, step: formatStep(change) }
    await insertJob(tx, { queue: 'notify-operators', notice: noticeOfReadyStep(step, context.now) })
    return { kind: 'recommended', label, version, change }
  }
  if (await isAreaSwitched(tx, label)) return null
  const requested = { scope: label, change, who: 'auto', reason: formatReason(result), version }
  const outcome = await changeRouteState(tx, requested, evidenceKeys)
  return { kind: 'promoted', label, version, change, outcome }
}

// An operator who moves a route after an alarm overrules that alarm. Only a newer alarm stops the route.
const listStops = async (tx: Queryable, context: GateContext): Promise<readonly RouteStop[]> => {
  const stops: RouteStop[] = []
  for (const { label, evidenceKey, alarm, alarmAt } of await listAlarmedSets(tx)) {
    if (!isLabel(label) || !isTwoSided(label) || alarm === null || alarmAt === null) continue
    const state = stateOf(context, label)
    const { stage, weightBp, version } = state
    const runs = context.liveKeys.some((keys) => keys[label] === evidenceKey)
    if (!runs || weightBp === 0 || (stage === 'retired' && !isDrill(state))) continue
    const movedAt = await readLastMove(tx, label)
    if (movedAt === null || Date.parse(alarmAt) > movedAt)
      stops.push({ label, version, cause: alarm, observer: 'fleet', evidenceKey })
  }
  return stops
}

const listEvaluated = (context: GateContext, fixedScopes: ReadonlySet<string>) =>
  labels.filter((label) => {
    const { mode, stage } = stateOf(context, label)
    const isFixed = scopesOf(label).some((scope) => fixedScopes.has(scope))
    return isTwoSided(label) && mode !== 'observe' && stage !== 'native' && stage !== 'retired' && !isFixed
  })

/**
 * Takes the next step of each `auto` route whose gate allows it, and finds recommended steps and routes to stop. Does
 * nothing while another instance is evaluating.
 */
export const evaluateGates = async (tx: Queryable, options: GateOptions): Promise<readonly GateOutcome[]> => {
  if (!(await lockGateEvaluation(tx))) return []
  const context = await readGateContext(tx)
  const stops = await listStops(tx, context)
  const stopped = new Set(stops.map(({ label }) => label))
  const outcomes: GateOutcome[] = stops.map((stop) => ({ kind: 'stop', stop }))
  for (const label of listEvaluated(context, options.fixedScopes)) {
    const outcome = stopped.has(label) ? null : await performStep(tx, context, label, options)
    if (outcome !== null) outcomes.push(outcome)
  }
  return outcomes
}
