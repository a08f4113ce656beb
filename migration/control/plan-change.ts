import type { Label } from '#contracts/route-table.ts'
import { isLabel, isTwoSided } from '#contracts/shared/row.ts'
import type { Reader } from '#db/client/connection.ts'
import {
  listLiveEvidenceKeys,
  listUnknownInstances,
  unknownTimeoutS,
} from '#db/queries/routing/gateway-instances.ts'
import { listFailedCode } from '#db/queries/routing/route-audit.ts'
import { listRouteStates, type RouteStateRow } from '#db/queries/routing/route-states.ts'
import { applyChange, type RouteChange, resumeWithArea } from '../model/apply-change.ts'
import type { EvidenceKeys } from '../model/evidence-keys.ts'
import { labelsIn, type RouteScope, scopesOf } from '../model/route-scope.ts'
import type { RouteState } from '../model/route-state.ts'
import { defaultStateOf, parseRouteStates } from '../model/stored-state.ts'
import { listWarnings, type TransitionConditions } from '../model/transition.ts'
import { readRetirement, readTime } from './read-retirement.ts'

/** A requested change, and the version that the requester saw; undefined accepts any version. */
export interface ProposedChange {
  readonly scope: RouteScope
  readonly change: RouteChange
  readonly version?: number | undefined
}

interface RouteMove {
  readonly before: RouteState
  readonly after: RouteState
}

export type ChangePlan =
  | {
      readonly kind: 'planned'
      readonly before: RouteState
      readonly after: RouteState
      /** Routes of a resumed area that do not return to their previous state. `describeDemotion` says why. */
      readonly demoted: readonly RouteMove[]
      readonly warnings: readonly string[]
    }
  | { readonly kind: 'illegal'; readonly reason: string }
  /** Another change came first and produced `state`. */
  | { readonly kind: 'stale'; readonly state: RouteState }

/** Reads a scope's row; null if there is none. When a change is made, also locks the row until the change is stored. */
export type ReadStateRow = (scope: RouteScope) => Promise<RouteStateRow | null>

// A row that this release cannot parse is replaced by the next change. Its version still counts, so that changes stay
// in order.
const readState = async (readRow: ReadStateRow, scope: RouteScope): Promise<RouteState> => {
  const row = await readRow(scope)
  if (row === null) return defaultStateOf(scope)
  return parseRouteStates([row]).valid[0] ?? { ...defaultStateOf(scope), version: row.version }
}

/**
 * Finds the conditions of the changed scope or of a route in it. For an area, they contain no evidence key, because each
 * of its routes has its own.
 */
export type FindConditions = (scope: RouteScope) => TransitionConditions

/**
 * Reads what the instances have reported and which code was stopped. `evidenceKeys` are those of this build's handlers.
 */
export const readConditions = async (
  db: Reader,
  changed: RouteScope,
  evidenceKeys: EvidenceKeys,
): Promise<FindConditions> => {
  const unknownInstances = await listUnknownInstances(db, unknownTimeoutS)
  const live = await listLiveEvidenceKeys(db)
  const failedCode = await listFailedCode(db, labelsIn(changed))
  return (scope) =>
    isLabel(scope)
      ? {
          evidenceKey: evidenceKeys.get(scope) ?? null,
          instancesWithoutHandler: live.filter(({ keys }) => keys[scope] === undefined).map(({ id }) => id),
          liveEvidenceKeys: [...new Set(live.flatMap(({ keys }) => keys[scope] ?? []))],
          failedCode,
          unknownInstances,
        }
      : { evidenceKey: null, instancesWithoutHandler: [], liveEvidenceKeys: [], failedCode, unknownInstances }
}

const findSwitched = async (
  readRow: ReadStateRow,
  label: Label,
  name: 'held' | 'killed',
): Promise<RouteScope | null> => {
  for (const scope of scopesOf(label).slice(1)) if ((await readState(readRow, scope))[name]) return scope
  return null
}

/** Lists the changes for routes that cannot return to their previous state when their area's kill ends. */
const listResumed = async (db: Reader, resumed: RouteScope, findConditions: FindConditions) => {
  const { valid } = parseRouteStates(await listRouteStates(db))
  const states = new Map(valid.map((state) => [state.scope, state]))
  return labelsIn(resumed).flatMap((label) => {
    const before = states.get(label)
    // If another kill also applies to the route, the route is checked when that kill ends.
    const isKilled = scopesOf(label).some((scope) => scope !== resumed && states.get(scope)?.killed)
    if (!before || !isTwoSided(label) || isKilled) return []
    const transition = resumeWithArea(before, label, findConditions(label))
    return transition ? [{ before, transition }] : []
  })
}

const readRetirementConditions = async (
  db: Reader,
  label: Label,
  change: RouteChange,
  now?: () => number,
): Promise<Pick<TransitionConditions, 'now' | 'retirement'>> => {
  if (change.kind !== 'retire' && change.kind !== 'end-drill') return {}
  const time = await readTime(db, now)
  return { now: time, ...(change.kind === 'retire' && { retirement: await readRetirement(db, label, time) }) }
}

export const planChange = async (
  db: Reader,
  { scope, change, version }: ProposedChange,
  evidenceKeys: EvidenceKeys,
  readRow: ReadStateRow,
  now?: () => number,
): Promise<ChangePlan> => {
  const before = await readState(readRow, scope)
  if (version !== undefined && version !== before.version) return { kind: 'stale', state: before }
  const findConditions = await readConditions(db, scope, evidenceKeys)
  const findWider = (kind: RouteChange['kind'], name: 'held' | 'killed') =>
    change.kind === kind && isLabel(scope) ? findSwitched(readRow, scope, name) : null
  const conditions = {
    ...findConditions(scope),
    heldBy: await findWider('rollback', 'held'),
    killedBy: await findWider('retire', 'killed'),
    ...(isLabel(scope) && (await readRetirementConditions(db, scope, change, now))),
  }
  const transition = applyChange(before, change, conditions)
  if (transition.kind === 'illegal') return transition
  const { state: after } = transition
  const resumed =
    change.kind === 'resume' && !isLabel(scope) ? await listResumed(db, scope, findConditions) : []
  const demoted: RouteMove[] = []
  for (const route of resumed) {
    if (route.transition.kind === 'illegal') return route.transition
    demoted.push({ before: route.before, after: route.transition.state })
  }
  return { kind: 'planned', before, after, demoted, warnings: listWarnings(before, after, conditions) }
}
