import type { Label } from '#contracts/route-table.ts'
import { isLabel } from '#contracts/shared/row.ts'
import type { Queryable } from '#db/client/connection.ts'
import { type GatewayInstance, listLiveInstances } from '#db/queries/gateway-instances.ts'
import { insertRouteAudit } from '#db/queries/route-audit.ts'
import {
  incrementRoutingEpoch,
  lockRouteState,
  lockRoutingEpoch,
  saveRouteState,
} from '#db/queries/route-states.ts'
import { type RouteScope, scopesOf } from '#migration/routing/route-scope.ts'
import type { RouteState } from '#migration/routing/route-state.ts'
import { defaultStateOf, parseRouteStates } from '#migration/routing/stored-state.ts'
import { applyChange, type RouteChange, type TransitionConditions } from '#migration/routing/transitions.ts'

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

const lacksHandler = ({ keys }: GatewayInstance, label: Label) => keys[label] === undefined

const readConditions = async (
  tx: Queryable,
  { scope, change }: RequestedChange,
  evidenceKeys: EvidenceKeys,
): Promise<TransitionConditions> => {
  if (!isLabel(scope)) return { evidenceKey: null, instancesWithoutHandler: [] }
  const instances = await listLiveInstances(tx)
  return {
    evidenceKey: evidenceKeys.get(scope) ?? null,
    instancesWithoutHandler: instances
      .filter((instance) => lacksHandler(instance, scope))
      .map(({ id }) => id),
    heldBy: change.kind === 'rollback' ? await findHolder(tx, scope) : null,
  }
}

const toRow = ({ stage, ...state }: RouteState) => ({ ...state, state: stage })

/**
 * Changes the state of a scope: compare-and-set on its version, the next epoch, the audit entry and the notification
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
  const conditions = await readConditions(tx, requested, evidenceKeys)
  const transition = applyChange(before, change, conditions)
  if (transition.kind === 'illegal') return transition
  const { state } = transition
  await saveRouteState(tx, toRow(state))
  const epoch = await incrementRoutingEpoch(tx)
  await insertRouteAudit(tx, { who, scope, action: change.kind, before, after: state, reason, epoch })
  return { kind: 'changed', before, state, epoch }
}
