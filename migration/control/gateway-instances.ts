import type { Database, Queryable } from '#db/client/connection.ts'
import { deleteEndedOverrides } from '#db/queries/routing/account-overrides.ts'
import {
  deleteInstance,
  deleteStaleInstances,
  lockInstance,
  upsertInstance,
} from '#db/queries/routing/gateway-instances.ts'
import { insertRouteAudit } from '#db/queries/routing/route-audit.ts'
import { lockRoutingEpoch, publishRoutingEpoch } from '#db/queries/routing/route-states.ts'
import type { BuildIdentity } from '../model/evidence-keys.ts'
import { atMostEveryTenMinutes } from './periodic-work.ts'

interface InstanceReportOptions {
  readonly database: Pick<Database, 'db'>
  readonly id: string
  readonly build: BuildIdentity
  readonly beatIntervalMs: number
}

/** Reports an instance and the epoch it has adopted, so that changes can wait for it. */
export const createInstanceReport = ({
  database: { db },
  id,
  build,
  beatIntervalMs,
}: InstanceReportOptions) => {
  const keys = Object.fromEntries(build.keys)
  let reportedEpoch: number | null = null
  let reportedAt = 0
  return {
    /** Reports a new epoch immediately, and an unchanged one every `beatIntervalMs`. */
    async report(epoch: number) {
      const isDue = performance.now() - reportedAt > beatIntervalMs
      if (epoch === reportedEpoch && !isDue) return
      await upsertInstance(db, { id, build: build.id, keys, epoch })
      reportedEpoch = epoch
      reportedAt = performance.now()
    },
    /** Deletes rows that nothing reads any more, on the first call and then every ten minutes. */
    cleanUp: atMostEveryTenMinutes(async () => {
      await deleteStaleInstances(db)
      await deleteEndedOverrides(db)
    }),
    /** Removes the row, so that no change waits for this instance. */
    async remove() {
      await deleteInstance(db, id).catch(() => undefined)
    },
  }
}

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
