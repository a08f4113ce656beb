import type { Database, Queryable } from '#db/client/connection.ts'
import {
  findLastRestore,
  hasHoldChanged,
  insertRouteAudit,
  restoreActions,
} from '#db/queries/routing/route-audit.ts'
import {
  listRouteStates,
  lockRouteState,
  lockRoutingEpoch,
  publishRoutingEpoch,
  saveRouteState,
} from '#db/queries/routing/route-states.ts'
import type { Log } from '#gateway/observability/log.ts'
import type { RouteScope } from '../model/route-scope.ts'
import type { RouteState } from '../model/route-state.ts'
import { AuditedState, defaultStateOf, parseRouteState, parseRouteStates } from '../model/stored-state.ts'
import { isOlderThan } from './read-stored-routing.ts'
import type { StoredRouting } from './routing-state.ts'

const everything: RouteScope = '*'

// Keeps a stop, because the stopped code would run again if the restored state gave native a larger share. A stop need
// not name new code: the same code may have been stopped before the backup, and a stop by timeouts names none. A route
// that native no longer served therefore stays with the core, whoever moved it there.
const mergeStop = (known: RouteState, restored: RouteState): Partial<RouteState> => {
  const { failedEvidenceKey, stage, weightBp } = known
  const hasFailed = failedEvidenceKey !== null && failedEvidenceKey !== restored.failedEvidenceKey
  const isStopped = weightBp < restored.weightBp && (hasFailed || weightBp === 0)
  return { ...(hasFailed && { failedEvidenceKey }), ...(isStopped && { stage, weightBp, drillUntil: null }) }
}

export interface KeptState {
  readonly before: RouteState
  readonly after: RouteState
}

/**
 * Returns what an instance carries over into a database restored from an older backup: every kill, hold and automatic
 * stop that the backup lacks. Adds a hold of `*`, so that automation moves nothing until a person has checked the
 * routes.
 */
const keepStops = (known: readonly RouteState[], restored: readonly RouteState[]): readonly KeptState[] => {
  const restoredOf = new Map(restored.map((state) => [state.scope, state]))
  const knownOf = new Map(known.map((state) => [state.scope, state]))
  return [...new Set([everything, ...knownOf.keys()])].flatMap((scope): KeptState[] => {
    const before = restoredOf.get(scope) ?? defaultStateOf(scope)
    const mine = knownOf.get(scope) ?? before
    const killed = mine.killed || before.killed
    const held = mine.held || before.held || scope === everything
    const stop = mergeStop(mine, before)
    const isKept =
      killed !== before.killed || held !== before.held || Object.keys(stop).length > 0 || scope === everything
    const version = Math.max(mine.version, before.version) + 1
    return isKept ? [{ before, after: { ...before, ...stop, killed, held, version } }] : []
  })
}

const HeldBefore = AuditedState.pick({ held: true })

/** Returns the audit entry of a restore that no operator has accepted yet; null if there is none. */
const findPendingRestore = async (tx: Queryable) => {
  const restore = await findLastRestore(tx)
  return restore?.action === restoreActions.kept ? restore : null
}

type Restore = NonNullable<Awaited<ReturnType<typeof findPendingRestore>>>

// Whether a person wants everything to be held. The restore recorded what was held before it, which applies until
// someone holds or releases everything again.
const isHeldByPerson = async (tx: Queryable, { before, epoch }: Restore, isHeld: boolean) =>
  (await hasHoldChanged(tx, everything, epoch)) ? isHeld : (HeldBefore.safeParse(before).data?.held ?? false)

const reason = 'the database was restored from a backup made before these changes'

/**
 * After a restore from an older backup, stores the kills, holds and stops that this instance knows, and holds `*`. Does
 * nothing if an instance with the same or a later epoch has already done so.
 */
export const storeStops = async (db: Database['db'], known: StoredRouting, log: Pick<Log, 'error'>) => {
  const kept = await db.transaction(async (tx) => {
    const restoredEpoch = await lockRoutingEpoch(tx)
    if (!(await isOlderThan(tx, known))) return null
    const earlier = await findPendingRestore(tx)
    const states = keepStops(known.states, parseRouteStates(await listRouteStates(tx)).valid)
    const isHeld = states.some(({ before }) => before.scope === everything && before.held)
    // If a person had already held everything, that hold stays after the restored database is accepted. A hold that an
    // earlier restore caused does not.
    const heldBefore = earlier === null ? isHeld : await isHeldByPerson(tx, earlier, isHeld)
    const wasHeld = heldBefore || known.states.some(({ scope, held }) => scope === everything && held)
    const epoch = await publishRoutingEpoch(tx, known.epoch)
    for (const { before, after } of states) {
      await saveRouteState(tx, after)
      const ofAll = { ...before, held: wasHeld, knownEpoch: known.epoch }
      await insertRouteAudit(tx, {
        scope: after.scope,
        who: 'auto',
        action: restoreActions.kept,
        before: after.scope === everything ? ofAll : before,
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
  const restore = await findPendingRestore(tx)
  if (restore === null) return null
  const row = await lockRouteState(tx, everything)
  const before = row && parseRouteState(row)
  const epoch = await publishRoutingEpoch(tx)
  const held = await isHeldByPerson(tx, restore, before?.held ?? false)
  const after = before && { ...before, held, version: before.version + 1 }
  if (after) await saveRouteState(tx, after)
  const action = restoreActions.accepted
  await insertRouteAudit(tx, { scope: everything, who, action, before, after, reason: why, epoch })
  return epoch
}
