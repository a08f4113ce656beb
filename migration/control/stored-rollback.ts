import type { Label } from '#contracts/route-table.ts'
import type { Database } from '#db/client/connection.ts'
import type { RouteChange } from '../model/apply-change.ts'
import type { EvidenceKeys } from '../model/evidence-keys.ts'
import { changeRouteState } from './change-route-state.ts'
import type { StoredRollback } from './route-stops.ts'

const descriptions = {
  errors: 'fails more often than expected',
  timeouts: 'times out, and there is nothing to compare it with',
  slowness: 'is slower than expected',
  rejections: 'rejects more clients than the core',
  mismatches: 'differs from the core too often',
  critical: 'returned data that must never leave the service',
} as const

export const createStoredRollback = (
  database: Pick<Database, 'db'>,
  evidenceKeys: EvidenceKeys,
): StoredRollback => {
  const change = (
    scope: Label,
    version: number,
    requested: RouteChange,
    reason: string,
    keys = evidenceKeys,
  ) =>
    database.db.transaction((tx) =>
      changeRouteState(tx, { scope, change: requested, who: 'auto', reason, version }, keys),
    )
  return {
    rollBack({ label, version, cause, observer, evidenceKey }) {
      // Marks the observed code as failed, even if only other instances run it. Timeouts mark no code, because a
      // stalled database may have caused them.
      const failed = evidenceKey === null ? evidenceKeys : new Map([[label, evidenceKey]])
      const keys = cause === 'timeouts' ? new Map<Label, string>() : failed
      const reason = `native ${descriptions[cause]}, seen ${observer === 'fleet' ? 'across all instances' : 'on one instance'}`
      return change(label, version, { kind: 'rollback' }, reason, keys)
    },
    hold: (label, version) =>
      change(label, version, { kind: 'hold' }, 'the core fails too often for native to be compared with it'),
  }
}
