import type { Label } from '#contracts/route-table.ts'
import type { Database } from '#db/client/connection.ts'
import type { RouteChange } from '#migration/routing/transitions.ts'
import { changeRouteState, type EvidenceKeys } from './change-route-state.ts'
import type { StoredRollback } from './stop-monitor.ts'

const descriptions = { errors: 'fails more often', slowness: 'is slower' } as const

/** Rolls routes back and holds them in the stored routing state, which the audit attributes to `auto`. */
export const createStoredRollback = (
  database: Pick<Database, 'db'>,
  evidenceKeys: EvidenceKeys,
): StoredRollback => {
  const change = (scope: Label, version: number, requested: RouteChange, reason: string) =>
    database.db.transaction((tx) =>
      changeRouteState(tx, { scope, change: requested, who: 'auto', reason, version }, evidenceKeys),
    )
  return {
    async rollBack({ label, version, cause, observer }) {
      const reason = `native ${descriptions[cause]} than the core, as observed by ${observer === 'fleet' ? 'all instances' : 'one instance'}`
      return (await change(label, version, { kind: 'rollback' }, reason)).kind === 'changed'
    },
    async hold(label, version) {
      await change(
        label,
        version,
        { kind: 'hold' },
        'the core fails too often for native to be compared with it',
      )
    },
  }
}
