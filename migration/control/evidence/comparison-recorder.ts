import { findDatabaseTimeMs } from '#db/queries/statement-timestamp.ts'
import { createThrottledLog } from '#gateway/observability/log.ts'
import { formatDay } from '#shared/iso-clock.ts'
import { type RecorderOptions, startPeriodicWriter } from '../periodic-work.ts'
import { createComparisonCounts } from './comparison-counts.ts'
import { createMismatchBuffer } from './mismatch-buffer.ts'

const defaultWriteIntervalMs = 5000

export type ComparisonRecorder = ReturnType<typeof startComparisonRecorder>

/** Stores what this instance's comparisons find. Records in memory and writes every five seconds. */
export const startComparisonRecorder = ({
  db,
  instanceId,
  log,
  writeIntervalMs = defaultWriteIntervalMs,
}: RecorderOptions & { readonly writeIntervalMs?: number | undefined }) => {
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
    recordUsage: changing(counts.recordUsage),
    /** Writes the remaining records, for at most a second. */
    close,
  }
}
