import type { Database } from '#db/client/connection.ts'
import {
  deleteOldDailyCounts,
  foldRouteCounts,
  type RouteCountsRow,
  saveRouteCounts,
} from '#db/queries/routing/route-counts.ts'
import { findDatabaseTimeMs } from '#db/queries/statement-timestamp.ts'
import { createThrottledLog } from '#gateway/observability/log.ts'
import { inBatches, type RecorderOptions, startPeriodicWriter } from '../periodic-work.ts'
import { createIntervalCounts } from './interval-counts.ts'

// Small enough for a statement to finish within the control connections' timeout. 20 batches are enough for twice the
// rows that 20 instances write in ten minutes.
const defaultBatch = 2000

/** Merges counts older than 14 days into daily counts and deletes daily counts older than 400 days, in batches. */
export const retainRouteCounts = async (db: Database['db'], batch = defaultBatch): Promise<void> => {
  if (await inBatches(batch, () => db.transaction((tx) => foldRouteCounts(tx, batch))))
    await deleteOldDailyCounts(db, batch)
}

/** Counts requests and writes the counts every ten seconds. */
export const startRouteCounts = ({ db, instanceId, log }: RecorderOptions) => {
  // All instances share the database's clock, because a machine's own clock may be wrong or adjusted.
  let clockOffsetMs = Date.now() - performance.now()
  const counts = createIntervalCounts({ instanceId, now: () => performance.now() + clockOffsetMs })
  const logThrottled = createThrottledLog(log)

  const readClock = async () => {
    clockOffsetMs = (await findDatabaseTimeMs(db)) - performance.now()
  }
  const write = async () => {
    const clockFailure = await readClock().then(
      () => null,
      (error) => ({ error }),
    )
    // Rejects inside `save`, so that `counts` begins a new interval even while nothing can be saved.
    const save = async (rows: readonly RouteCountsRow[]) => {
      if (clockFailure) throw clockFailure.error
      await saveRouteCounts(db, rows)
    }
    await counts.write(save).catch((error) => logThrottled(error, 'failed to write route counts'))
  }

  const retain = () =>
    retainRouteCounts(db).catch((error) => logThrottled(error, 'failed to delete old route counts'))
  const { close } = startPeriodicWriter({ work: 'counts', write, retain })
  return { record: counts.record, close }
}
