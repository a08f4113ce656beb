import type { Database, Queryable } from '#db/client/connection.ts'
import { findLastRestore, insertRouteAudit, restoreActions } from '#db/queries/routing/route-audit.ts'
import {
  listRouteStates,
  lockRouteState,
  lockRoutingEpoch,
  publishRoutingEpoch,
  saveRouteState,
} from '#db/queries/routing/route-states.ts'
import type { Log } from '#gateway/observability/log.ts'
import { keepStops } from '../model/keep-stops.ts'
import { AuditedState, parseRouteState, parseRouteStates } from '../model/stored-state.ts'
import { isOlderThan } from './read-stored-routing.ts'
import type { StoredRouting } from './routing-state.ts'

const HeldBefore = AuditedState.pick({ held: true })

const reason = 'the database was restored from a backup made before these changes'

/**
 * After a restore from an older backup, stores the kills, holds and stops that this instance knows, and holds `*`. Does
 * nothing if an instance with the same or a later epoch has already done so.
 */
export const storeStops = async (db: Database['db'], known: StoredRouting, log: Pick<Log, 'error'>) => {
  const kept = await db.transaction(async (tx) => {
    const restoredEpoch = await lockRoutingEpoch(tx)
    if (!(await isOlderThan(tx, known))) return null
    const states = keepStops(known.states, parseRouteStates(await listRouteStates(tx)).valid)
    const epoch = await publishRoutingEpoch(tx, known.epoch)
    for (const { before, after } of states) {
      await saveRouteState(tx, after)
      // If an operator had already held everything, that hold stays after the restored database is accepted.
      const wasHeld = before.held || known.states.some(({ scope, held }) => scope === '*' && held)
      const ofAll = { ...before, held: wasHeld, knownEpoch: known.epoch }
      await insertRouteAudit(tx, {
        scope: after.scope,
        who: 'auto',
        action: restoreActions.kept,
        before: after.scope === '*' ? ofAll : before,
        after,
        reason,
        epoch,
      })
    }
    return { restoredEpoch, scopes: states.map(({ after }) => after.scope) }
  })
  if (kept === null) return
  const { restoredEpoch, scopes } = kept
  log.error({ epoch: known.epoch, restoredEpoch, scopes }, 'routing database restored')
}

/** Returns the epoch; null if no restored database is waiting to be accepted. */
export const acceptRestore = async (
  tx: Queryable,
  { who, reason: why }: { readonly who: string; readonly reason: string },
): Promise<number | null> => {
  await lockRoutingEpoch(tx)
  const restore = await findLastRestore(tx)
  if (restore?.action !== restoreActions.kept) return null
  const row = await lockRouteState(tx, '*')
  const before = row && parseRouteState(row)
  const epoch = await publishRoutingEpoch(tx)
  const held = HeldBefore.safeParse(restore.before).data?.held ?? false
  const after = before && { ...before, held, version: before.version + 1 }
  if (after) await saveRouteState(tx, after)
  const action = restoreActions.accepted
  await insertRouteAudit(tx, { scope: '*', who, action, before, after, reason: why, epoch })
  return epoch
}
