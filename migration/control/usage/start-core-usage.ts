import type { Database } from '#db/client/connection.ts'
import { continueCoreUsageRecord, foldCoreUsage } from '#db/queries/routing/core-usage.ts'
import { findDatabaseTimeMs } from '#db/queries/statement-timestamp.ts'
import { createThrottledLog, type Log } from '#gateway/observability/log.ts'
import { formatDay } from '#shared/iso-clock.ts'
import { startPeriodicWriter } from '../counts/periodic-writer.ts'
import { inBatches } from '../retention.ts'
import { createCoreUsage } from './core-usage.ts'

interface CoreUsageOptions {
  readonly db: Database['db']
  readonly instanceId: string
  readonly log: Pick<Log, 'error'>
}

const batch = 500

/** Moves counts older than 15 days into the totals, in batches. Does nothing while another instance is doing so. */
export const retainCoreUsage = async (db: Database['db']): Promise<void> => {
  await inBatches(batch, () => db.transaction((tx) => foldCoreUsage(tx, batch)))
}

/** Counts what the core serves, and writes the counts every ten seconds. A killed process loses unwritten counts. */
export const startCoreUsage = ({ db, instanceId, log }: CoreUsageOptions) => {
  const usage = createCoreUsage(instanceId)
  const logThrottled = createThrottledLog(log)

  const write = async () => {
    try {
      await continueCoreUsageRecord(db)
      await usage.write(db, formatDay(await findDatabaseTimeMs(db)))
    } catch (error) {
      logThrottled(error, 'failed to write core usage')
    }
  }

  const retain = () =>
    retainCoreUsage(db).catch((error) => logThrottled(error, 'failed to delete old core usage'))
  const { close } = startPeriodicWriter({ work: 'core usage', write, retain })
  return { record: usage.record, recordAsked: usage.recordAsked, close }
}
