import type { Queryable } from '#db/client/connection.ts'
import {
  deleteOldDailyCounts,
  foldRouteCounts,
  type RouteCountsRow,
  saveRouteCounts,
} from '#db/queries/routing/route-counts.ts'
import { findDatabaseTimeMs } from '#db/queries/statement-timestamp.ts'
import { createThrottledLog, type Log } from '#gateway/observability/log.ts'
import { createIntervalCounts, type IntervalCounts } from './interval-counts.ts'
import { startPeriodicWriter } from './periodic-writer.ts'

interface RouteCountsDatabase extends Queryable {
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>
}

interface RouteCountsOptions {
  readonly db: RouteCountsDatabase
  readonly instanceId: string
  readonly log: Pick<Log, 'error'>
}

interface StartedRouteCounts extends Pick<IntervalCounts, 'record'> {
  /** Writes the remaining counts. */
  close(): Promise<void>
}

/** Small enough for one statement to finish in time on the control connections. */
const defaultBatch = 2000
/** Enough for twice the rows that 20 instances write in ten minutes. */
const maxBatches = 20

/**
 * Merges counts older than 14 days into daily counts and deletes daily counts older than 400 days, in batches. Does
 * nothing while another instance is doing so.
 */
export const retainRouteCounts = async (db: RouteCountsDatabase, batch = defaultBatch): Promise<void> => {
  for (let batches = 0; batches < maxBatches; batches += 1) {
    const folded = await db.transaction((tx) => foldRouteCounts(tx, batch))
    if (folded === null) return
    if (folded < batch) break
  }
  await deleteOldDailyCounts(db, batch)
}

/**
 * Counts requests and writes the counts every ten seconds. A killed process loses unwritten counts. An instance that is
 * cut off from the database keeps one day's counts.
 */
export const startRouteCounts = ({ db, instanceId, log }: RouteCountsOptions): StartedRouteCounts => {
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
