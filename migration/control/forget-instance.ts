import type { Queryable } from '#db/client/connection.ts'
import { deleteInstance, lockInstance } from '#db/queries/routing/gateway-instances.ts'
import { insertRouteAudit } from '#db/queries/routing/route-audit.ts'
import { lockRoutingEpoch, publishRoutingEpoch } from '#db/queries/routing/route-states.ts'

export type ForgetOutcome =
  | { readonly kind: 'forgotten'; readonly epoch: number }
  | { readonly kind: 'not-found' }
  /** The instance is live, so its next report would bring the row back. */
  | { readonly kind: 'live'; readonly lastReportAgeS: number }

/**
 * Deletes an instance's row when an operator says that the instance has ended, so that it no longer blocks changes.
 * This changes no route's state, but the audit entry commits with a new epoch, because the audit is read in whole
 * epochs.
 */
export const forgetInstance = async (
  tx: Queryable,
  { id, who, reason }: { readonly id: string; readonly who: string; readonly reason: string },
): Promise<ForgetOutcome> => {
  await lockRoutingEpoch(tx)
  const instance = await lockInstance(tx, id)
  if (instance === null) return { kind: 'not-found' }
  const { isLive, lastReportAgeS } = instance
  if (isLive) return { kind: 'live', lastReportAgeS }
  await deleteInstance(tx, id)
  const epoch = await publishRoutingEpoch(tx)
  const before = { build: instance.build, epoch: instance.epoch, lastReportAgeS }
  await insertRouteAudit(tx, { who, scope: id, action: 'forget', before, after: null, reason, epoch })
  return { kind: 'forgotten', epoch }
}
