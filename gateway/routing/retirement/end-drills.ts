import type { Queryable } from '#db/client/connection.ts'
import { listRouteStates } from '#db/queries/route-states.ts'
import { formatMinute } from '#migration/routing/gate/format-quantity.ts'
import { hasDrillEnded } from '#migration/routing/route-state.ts'
import { parseRouteStates } from '#migration/routing/stored-state.ts'
import { type ChangeOutcome, changeRouteState } from '../change-route-state.ts'
import type { EvidenceKeys } from '../plan-change.ts'

interface EndDrillsOptions {
  readonly db: Queryable & { transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> }
  readonly evidenceKeys: EvidenceKeys
  /** Milliseconds since the epoch of Unix. */
  readonly now: () => number
}

/**
 * Returns to `native` what is retired for a drill that has ended. Instances serve such a route that way already: this makes
 * the stored state agree and the audit complete. A change that came first makes it stale.
 */
export const endDrills = async ({ db, evidenceKeys, now }: EndDrillsOptions): Promise<ChangeOutcome[]> => {
  const { valid } = parseRouteStates(await listRouteStates(db))
  const outcomes: ChangeOutcome[] = []
  for (const { scope, version, ...state } of valid.filter((each) => hasDrillEnded(each, now()))) {
    const reason = `the drill has ended, as planned for ${formatMinute(state.drillUntil ?? 0)}`
    const requested = { scope, change: { kind: 'end-drill' }, who: 'auto', reason, version } as const
    outcomes.push(await db.transaction((tx) => changeRouteState(tx, requested, evidenceKeys, now)))
  }
  return outcomes
}
