import type { Queryable } from '#db/client/connection.ts'
import { newId } from '#db/new-id.ts'
import { insertJob } from '#db/queries/jobs/jobs.ts'
import { lockForwardedKeys } from '#db/queries/locks.ts'
import { insertRouteAudit } from '#db/queries/routing/route-audit.ts'
import {
  lockRouteState,
  lockRoutingEpoch,
  publishRoutingEpoch,
  saveRouteState,
} from '#db/queries/routing/route-states.ts'
import type { EvidenceKeys } from '../model/evidence-keys.ts'
import type { RouteState } from '../model/route-state.ts'
import { noticeOfChange } from './operator-notices.ts'
import { type ChangePlan, type ProposedChange, planChange } from './plan-change.ts'

export interface RequestedChange extends ProposedChange {
  /** The operator's name, or `auto`. */
  readonly who: string
  readonly reason: string
}

export type ChangeOutcome =
  | {
      readonly kind: 'changed'
      readonly before: RouteState
      readonly state: RouteState
      readonly demoted: readonly RouteState[]
      readonly warnings: readonly string[]
      readonly epoch: number
    }
  | Exclude<ChangePlan, { kind: 'planned' }>

/**
 * Changes a scope's state by compare-and-set on its version. The next epoch, audit entries, notifications and notices
 * commit with the change. An illegal or stale change changes nothing. `now` replaces the database's clock, in Unix
 * milliseconds.
 */
export const changeRouteState = async (
  tx: Queryable,
  requested: RequestedChange,
  evidenceKeys: EvidenceKeys,
  now?: () => number,
): Promise<ChangeOutcome> => {
  const { change, who, reason } = requested
  // Every change takes this lock first, so concurrent changes wait instead of deadlocking.
  await lockRoutingEpoch(tx)
  if (change.kind === 'retire') await lockForwardedKeys(tx, requested.scope)
  const plan = await planChange(tx, requested, evidenceKeys, (scope) => lockRouteState(tx, scope), now)
  if (plan.kind !== 'planned') return plan
  const { before, after, demoted, warnings } = plan
  const epoch = await publishRoutingEpoch(tx)
  for (const move of [{ before, after }, ...demoted]) {
    const at = new Date(now?.() ?? Date.now()).toISOString()
    await saveRouteState(tx, move.after)
    await insertRouteAudit(tx, {
      ...move,
      scope: move.after.scope,
      who,
      action: change.kind,
      reason,
      epoch,
      ...(now && { at }),
    })
    const notice = noticeOfChange({ ...move, action: change.kind, who }, reason, epoch)
    if (notice) await insertJob(tx, { queue: 'notify-operators', notice: { id: newId(), at, ...notice } })
  }
  return {
    kind: 'changed',
    before,
    state: after,
    demoted: demoted.map((route) => route.after),
    warnings,
    epoch,
  }
}
