import type { Label } from '#contracts/route-table.ts'
import type { Database } from '#db/client/connection.ts'
import { findDatabaseTimeMs } from '#db/queries/statement-timestamp.ts'
import { createThrottledLog, type Log } from '#gateway/observability/log.ts'
import { formatDay } from '#shared/iso-clock.ts'
import { startPeriodicWriter } from '../counts/periodic-writer.ts'
import { type CountedComparison, createComparisonCounts } from './comparison-counts.ts'
import { createMismatchBuffer, type RecordedMismatch } from './mismatch-buffer.ts'

/** Stores what this instance's comparisons find. */
export interface ComparisonRecorder {
  /** Counts a core response that was copied for comparison. A drop is a copy that was never compared. */
  countCopy(label: Label, evidenceKey: string): void
  countDrop(label: Label, evidenceKey: string): void
  /** Records a comparison. Only a vote counts for the sequential test, but a leak always counts. */
  record(comparison: CountedComparison): void
  recordMismatch(mismatch: RecordedMismatch): void
  /** Records a core response on a route that can be shadowed, whether or not it is compared. */
  recordUsage(label: Label, status: number, subject: string | null, shapes: readonly string[]): void
  /** Writes the remaining records, for at most a second. */
  close(): Promise<void>
}

interface ComparisonRecorderOptions {
  readonly db: Database['db']
  readonly instanceId: string
  readonly log: Pick<Log, 'error'>
  readonly writeIntervalMs?: number | undefined
}

const defaultWriteIntervalMs = 5000

/**
 * Records in memory and writes every five seconds. A killed process loses unwritten records. While the database is
 * down, each day's counts stay in memory, along with as many mismatches as fit.
 */
export const startComparisonRecorder = ({
  db,
  instanceId,
  log,
  writeIntervalMs = defaultWriteIntervalMs,
}: ComparisonRecorderOptions): ComparisonRecorder => {
  const counts = createComparisonCounts(instanceId)
  const mismatches = createMismatchBuffer()
  const logThrottled = createThrottledLog(log)
  let hasChanged = false

  const writeAll = async () => {
    // All instances share the database's clock, because a machine's own clock may be wrong.
    await counts.write(db, formatDay(await findDatabaseTimeMs(db)))
    await mismatches.write(db)
  }
  const write = async () => {
    if (!hasChanged) return
    hasChanged = false
    await writeAll().catch((error) => {
      hasChanged = true
      logThrottled(error, 'failed to write comparisons')
    })
  }

  const { close } = startPeriodicWriter({ work: 'comparisons', write, writeIntervalMs })

  const changing =
    <A extends readonly unknown[]>(record: (...args: A) => void) =>
    (...args: A) => {
      hasChanged = true
      record(...args)
    }

  return {
    countCopy: changing(counts.countCopy),
    countDrop: changing(counts.countDrop),
    record: changing(counts.record),
    recordMismatch: changing(mismatches.record),
    // Does not use `changing`, because this runs for every core response.
    recordUsage(label, status, subject, shapes) {
      hasChanged = true
      counts.recordUsage(label, status, subject, shapes)
    },
    close,
  }
}
