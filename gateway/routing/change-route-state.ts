import type { Label } from '#contracts/route-table.ts'
import { isLabel } from '#contracts/shared/row.ts'
import type { Queryable } from '#db/client/connection.ts'
import { insertRouteAudit } from '#db/queries/route-audit.ts'
import {
  incrementRoutingEpoch,
  listRouteStates,
  lockRouteState,
  lockRoutingEpoch,
  saveRouteState,
} from '#db/queries/route-states.ts'
import { resumeWithArea } from '#migration/routing/resume.ts'
import { isTwoSided, labelsIn, type RouteScope, scopesOf } from '#migration/routing/route-scope.ts'
import type { RouteState } from '#migration/routing/route-state.ts'
import { defaultStateOf, parseRouteStates } from '#migration/routing/stored-state.ts'
import { listWarnings } from '#migration/routing/transition.ts'
import { applyChange, type RouteChange } from '#migration/routing/transitions.ts'
import { type FindConditions, readConditions } from './transition-conditions.ts'

export interface RequestedChange {
  readonly scope: RouteScope
  readonly change: RouteChange
  /** The operator, or `auto`. */
  readonly who: string
  readonly reason: string
  /** The version that the change was decided on; undefined applies it to any. */
  readonly version?: number | undefined
}

export type ChangeOutcome =
  | {
      readonly kind: 'changed'
      readonly before: RouteState
      readonly state: RouteState
      /** The routes of a resumed area that native no longer serves: their code has failed, or is not the one that was chosen. */
      readonly demoted: readonly RouteState[]
      /** Sentences for the person who has requested the change. */
      readonly warnings: readonly string[]
      readonly epoch: number
    }
  | { readonly kind: 'illegal'; readonly reason: string }
  /** Another change came first; the state is the one that it left. */
  | { readonly kind: 'stale'; readonly state: RouteState }

/** The keys of the handlers in this build. */
export type EvidenceKeys = ReadonlyMap<Label, string>

// A change replaces a row that this version cannot read; its version still orders the changes.
const readState = async (tx: Queryable, scope: RouteScope): Promise<RouteState> => {
  const row = await lockRouteState(tx, scope)
  if (row === null) return defaultStateOf(scope)
  return parseRouteStates([row]).valid[0] ?? { ...defaultStateOf(scope), version: row.version }
}

const findHolder = async (tx: Queryable, label: Label): Promise<RouteScope | null> => {
  for (const scope of scopesOf(label).slice(1)) if ((await readState(tx, scope)).held) return scope
  return null
}

const toRow = ({ stage, ...state }: RouteState) => ({ ...state, state: stage })

/** The changes of the routes that do not return as they were when the kill of their area ends. */
const listResumed = async (tx: Queryable, resumed: RouteScope, findConditions: FindConditions) => {
  const { valid } = parseRouteStates(await listRouteStates(tx))
  const states = new Map(valid.map((state) => [state.scope, state]))
  return labelsIn(resumed).flatMap((label) => {
    const before = states.get(label)
    // Those of another kill are compared when that ends.
    const isKilled = scopesOf(label).some((scope) => scope !== resumed && states.get(scope)?.killed)
    if (!before || !isTwoSided(label) || isKilled) return []
    const transition = resumeWithArea(before, label, findConditions(label))
    return transition ? [{ before, transition }] : []
  })
}

/**
 * Changes the state of a scope: compare-and-set on its version, the next epoch, the audit entries and the notification
 * commit together. An illegal or stale change changes nothing.
 */
export const changeRouteState = async (
  tx: Queryable,
  requested: RequestedChange,
  evidenceKeys: EvidenceKeys,
): Promise<ChangeOutcome> => {
  const { scope, change, who, reason, version } = requested
  // First in every transaction of a change, so that concurrent changes wait instead of deadlocking.
  await lockRoutingEpoch(tx)
  const before = await readState(tx, scope)
  if (version !== undefined && version !== before.version) return { kind: 'stale', state: before }
  const findConditions = await readConditions(tx, evidenceKeys)
  const heldBy = change.kind === 'rollback' && isLabel(scope) ? await findHolder(tx, scope) : null
  const conditions = { ...findConditions(scope), heldBy }
  const transition = applyChange(before, change, conditions)
  if (transition.kind === 'illegal') return transition
  const { state } = transition
  const resumed =
    change.kind === 'resume' && !isLabel(scope) ? await listResumed(tx, scope, findConditions) : []
  const demoted: { before: RouteState; after: RouteState }[] = []
  for (const route of resumed) {
    if (route.transition.kind === 'illegal') return route.transition
    demoted.push({ before: route.before, after: route.transition.state })
  }
  const epoch = await incrementRoutingEpoch(tx)
  for (const move of [{ before, after: state }, ...demoted]) {
    await saveRouteState(tx, toRow(move.after))
    await insertRouteAudit(tx, { ...move, scope: move.after.scope, who, action: change.kind, reason, epoch })
  }
  const warnings = listWarnings(before, state, conditions)
  return { kind: 'changed', before, state, demoted: demoted.map(({ after }) => after), warnings, epoch }
}
