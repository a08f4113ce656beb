import type { Database } from '#db/client/connection.ts'
import { deleteEndedOverrides } from '#db/queries/routing/account-overrides.ts'
import {
  deleteInstance,
  deleteStaleInstances,
  upsertInstance,
} from '#db/queries/routing/gateway-instances.ts'
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
