import { labels } from '#contracts/shared/row.ts'
import type { Database } from '#db/client/connection.ts'
import {
  allRoutes,
  countNames,
  deleteOldDailyCounts,
  foldRouteCounts,
  type RouteCounts,
  type RouteCountsRow,
  saveRouteCounts,
} from '#db/queries/routing/route-counts.ts'
import { findDatabaseTimeMs } from '#db/queries/statement-timestamp.ts'
import { createThrottledLog } from '#gateway/observability/log.ts'
import type { RequestOutcome } from '#gateway/request/context.ts'
import { storedDurationBuckets } from '#shared/histogram.ts'
import { measureTimerWork } from '#shared/repeat.ts'
import { inBatches, type RecorderOptions, startPeriodicWriter } from '../periodic-work.ts'

interface IntervalCountsOptions {
  readonly instanceId: string
  /** Unix milliseconds, by the database's clock once it is known. */
  readonly now: () => number
}

const intervalMs = 600_000
/** One day's intervals, kept while the database is down. */
const maxIntervals = 144
const classes = 4
const width = countNames.length
const routes: ReadonlyMap<string, number> = new Map(labels.map((label, index) => [label, index]))
const { count: buckets, bucketOf } = storedDurationBuckets
/** If the client disconnects, the duration says nothing about the route. */
const disconnected = 499

// Classes start at 2xx, because no request ends with 1xx.
const classOf = (status: number) => Math.min(Math.max(Math.floor(status / 100) - 2, 0), classes - 1)

interface Interval {
  startedAt: number
  readonly counts: Float64Array
  /**
   * How many of each route's durations are in each bucket, native's before the core's. A route's durations are saved
   * only if its `counts` have changed, so change both.
   */
  readonly durations: Uint32Array
  saved: Float64Array
}

const openInterval = (at: number): Interval => ({
  startedAt: Math.floor(at / intervalMs) * intervalMs,
  counts: new Float64Array(labels.length * width),
  durations: new Uint32Array(labels.length * 2 * buckets),
  saved: new Float64Array(labels.length * width),
})

const readCounts = (counts: Float64Array, offset: number): RouteCounts => {
  const at = (index: number) => counts[offset + index] ?? 0
  return {
    native2xx: at(0),
    native3xx: at(1),
    native4xx: at(2),
    native5xx: at(3),
    core2xx: at(4),
    core3xx: at(5),
    core4xx: at(6),
    core5xx: at(7),
  }
}

// Leaves out the empty buckets at the end: most requests take less than a second, so half of the buckets are empty.
const readDurations = (durations: Uint32Array, offset: number) => {
  const ofSide = durations.subarray(offset, offset + buckets)
  return [...ofSide.subarray(0, ofSide.findLastIndex((count) => count > 0) + 1)]
}

const sumRoutes = (counts: Float64Array) => {
  const sum = new Float64Array(width)
  counts.forEach((count, index) => {
    sum[index % width] = (sum[index % width] ?? 0) + count
  })
  return readCounts(sum, 0)
}

const hasChanged = (counts: Float64Array, saved: Float64Array, offset: number) =>
  countNames.some((_, index) => counts[offset + index] !== saved[offset + index])

/** Counts this instance's requests in ten-minute intervals. Optimized, because each request calls `record`. */
export const createIntervalCounts = ({ instanceId, now }: IntervalCountsOptions) => {
  let current = openInterval(now())
  let intervals = [current]

  const advance = () => {
    const next = openInterval(now())
    const aheadMs = current.startedAt - next.startedAt
    // A jump back by this much means that this machine's clock was ahead and the database had not been reached, so
    // nothing has been saved yet.
    if (aheadMs > intervalMs) for (const interval of intervals) interval.startedAt -= aheadMs
    // If the clock was set back a little, the current interval continues. The previous one is not reopened.
    if (aheadMs >= 0) return
    current = next
    intervals = [...intervals, next].slice(-maxIntervals)
  }

  const listChanges = ({ startedAt, saved, durations }: Interval, counts: Float64Array): RouteCountsRow[] => {
    const intervalStart = new Date(startedAt).toISOString()
    const changes = labels.flatMap((label, index) => {
      const offset = index * width
      if (!hasChanged(counts, saved, offset)) return []
      const nativeDurations = readDurations(durations, 2 * index * buckets)
      const coreDurations = readDurations(durations, (2 * index + 1) * buckets)
      return [
        { label, intervalStart, instanceId, ...readCounts(counts, offset), nativeDurations, coreDurations },
      ]
    })
    if (changes.length === 0) return []
    return [...changes, { label: allRoutes, intervalStart, instanceId, ...sumRoutes(counts) }]
  }

  return {
    /** A request that fell back counts for the core. */
    record(
      label: RequestOutcome['label'],
      runtime: RequestOutcome['runtime'],
      status: number,
      durationMs: number,
    ) {
      const route = routes.get(label)
      if (route === undefined) return
      const side = runtime === 'native' ? 0 : 1
      const { counts, durations } = current
      const index = route * width + side * classes + classOf(status)
      counts[index] = (counts[index] ?? 0) + 1
      if (status === disconnected) return
      const bucket = (2 * route + side) * buckets + bucketOf(durationMs)
      durations[bucket] = (durations[bucket] ?? 0) + 1
    },

    /** Requests counted between two calls belong to the first call's interval. If `save` rejects, nothing is lost. */
    async write(save: (rows: readonly RouteCountsRow[]) => Promise<void>) {
      advance()
      for (const interval of intervals) {
        const counts = interval.counts.slice()
        const changes = measureTimerWork('counts', () => listChanges(interval, counts))
        if (changes.length > 0) await save(changes)
        interval.saved = counts
        if (interval !== current) intervals = intervals.filter((kept) => kept !== interval)
      }
    },
  }
}

// Small enough for a statement to finish within the control connections' timeout. 20 batches are enough for twice the
// rows that 20 instances write in ten minutes.
const defaultBatch = 2000

/** Merges counts older than 14 days into daily counts and deletes daily counts older than 400 days, in batches. */
export const retainRouteCounts = async (db: Database['db'], batch = defaultBatch): Promise<void> => {
  if (await inBatches(batch, () => db.transaction((tx) => foldRouteCounts(tx, batch))))
    await deleteOldDailyCounts(db, batch)
}

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
