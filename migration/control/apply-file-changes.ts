import { ApiError } from '#contracts/errors.ts'
import type { Queryable } from '#db/client/connection.ts'
import { lockRoutingEpoch } from '#db/queries/routing/route-states.ts'
import type { EvidenceKeys } from '../model/evidence-keys.ts'
import type { FileChange } from '../model/routing-file.ts'
import { putAccountOverride, removeAccountOverride } from './change-account-override.ts'
import { changeRouteState } from './change-route-state.ts'

export interface PlannedChanges {
  readonly changes: readonly FileChange[]
  /** The epoch of the state that the changes were planned for. */
  readonly epoch: number
  readonly who: string
  readonly reason: string
}

export const createRefusal = (sentences: readonly string[]) =>
  new ApiError('route_change_illegal', {
    message: ['Nothing was changed, because these changes in the file are not allowed:', ...sentences].join(
      '\n',
    ),
  })

const makeChange = async (
  tx: Queryable,
  change: FileChange,
  { who, reason }: PlannedChanges,
  evidenceKeys: EvidenceKeys,
  now?: () => number,
): Promise<number | string | null> => {
  if (change.kind === 'override') {
    const { kind: _, ...override } = change
    return putAccountOverride(tx, { ...override, who, reason })
  }
  const { scope } = change
  if (change.kind === 'remove-override')
    return removeAccountOverride(tx, { accountId: change.accountId, scope, who, reason })
  const requested = { scope, change: change.change, version: change.version, who, reason }
  const outcome = await changeRouteState(tx, requested, evidenceKeys, now)
  if (outcome.kind === 'changed') return outcome.epoch
  return outcome.kind === 'illegal' ? `${outcome.reason}.` : `${scope} has version ${outcome.state.version}.`
}

/**
 * Makes all of a file's changes or none of them, each as if an operator had made it. Returns the last epoch. If the
 * routing state has changed since they were planned, makes none and returns null. Throws `route_change_illegal`, which
 * names every refused change, and `account_override_limit_reached`.
 */
export const applyFileChanges = async (
  tx: Queryable,
  planned: PlannedChanges,
  evidenceKeys: EvidenceKeys,
  now?: () => number,
): Promise<number | null> => {
  // Every routing change takes this lock first, so no other change can be made before the commit, and two files cannot
  // deadlock.
  if ((await lockRoutingEpoch(tx)) !== planned.epoch) return null
  const refused: string[] = []
  let { epoch } = planned
  for (const change of planned.changes) {
    const made = await makeChange(tx, change, planned, evidenceKeys, now)
    if (typeof made === 'string') refused.push(made)
    else epoch = made ?? epoch
  }
  if (refused.length > 0) throw createRefusal(refused)
  return epoch
}
