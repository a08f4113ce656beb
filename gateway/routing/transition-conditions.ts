import type { Label } from '#contracts/route-table.ts'
import { isLabel } from '#contracts/shared/row.ts'
import type { Reader } from '#db/client/connection.ts'
import { listLiveEvidenceKeys, listUnknownInstances, unknownTimeoutS } from '#db/queries/gateway-instances.ts'
import type { RouteScope } from '#migration/routing/route-scope.ts'
import type { TransitionConditions } from '#migration/routing/transition.ts'

/** The conditions for a change of a scope. Those of an area contain no code: each of its routes has its own. */
export type FindConditions = (scope: RouteScope) => TransitionConditions

/** Reads what the instances have reported. `evidenceKeys` are those of the handlers in this build. */
export const readConditions = async (
  db: Reader,
  evidenceKeys: ReadonlyMap<Label, string>,
): Promise<FindConditions> => {
  const unknownInstances = await listUnknownInstances(db, unknownTimeoutS)
  const live = await listLiveEvidenceKeys(db)
  return (scope) =>
    isLabel(scope)
      ? {
          evidenceKey: evidenceKeys.get(scope) ?? null,
          instancesWithoutHandler: live.filter(({ keys }) => keys[scope] === undefined).map(({ id }) => id),
          liveEvidenceKeys: [...new Set(live.flatMap(({ keys }) => keys[scope] ?? []))],
          unknownInstances,
        }
      : { evidenceKey: null, instancesWithoutHandler: [], liveEvidenceKeys: [], unknownInstances }
}
