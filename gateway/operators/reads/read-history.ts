import type { Label } from '#contracts/route-table.ts'
import type { Reader } from '#db/client/connection.ts'
import { allRoutes, type RouteCounts } from '#db/queries/route-counts.ts'
import { listIntervalCounts, listIntervalDurations } from '#db/queries/route-history.ts'
import { findDatabaseTimeMs } from '#db/queries/statement-timestamp.ts'
import { divideIntoIntervals } from '#migration/routing/history-intervals.ts'
import { findPercentile } from '#shared/histogram.ts'

const hourMs = 3_600_000

/** The requests of each side, and those of them with a 5xx. */
export const sumSides = (counts: RouteCounts) => ({
  native: {
    requests: counts.native2xx + counts.native3xx + counts.native4xx + counts.native5xx,
    errors: counts.native5xx,
  },
  core: {
    requests: counts.core2xx + counts.core3xx + counts.core4xx + counts.core5xx,
    errors: counts.core5xx,
  },
})

const noRequests = { requests: 0, errors: 0 }

const readIntervals = async (db: Reader, hours: number) => {
  const intervals = divideIntoIntervals(hours * hourMs, await findDatabaseTimeMs(db))
  return { ...intervals, from: intervals.starts[0] ?? 0 }
}

const toIso = (time: number) => new Date(time).toISOString()

/**
 * What each side has served of a route in the last hours, by interval, the oldest first. The percentiles are those of all
 * instances together; null where nothing was measured.
 */
export const readRouteHistory = async (db: Reader, label: Label, hours: number) => {
  const { starts, from, widthMs } = await readIntervals(db, hours)
  const period = { label, from, widthMs }
  const counts = new Map((await listIntervalCounts(db, period)).map((row) => [row.start, sumSides(row)]))
  const durations = new Map(
    (await listIntervalDurations(db, period)).map((row) => [`${row.start} ${row.side}`, row.counts]),
  )
  const measure = (start: number, side: 'native' | 'core') => {
    const measured = durations.get(`${start} ${side}`) ?? []
    return {
      ...(counts.get(start)?.[side] ?? noRequests),
      p50Ms: findPercentile(measured, 0.5),
      p95Ms: findPercentile(measured, 0.95),
    }
  }
  return {
    label,
    hours,
    intervalS: widthMs / 1000,
    intervals: starts.map((start) => ({
      start: toIso(start),
      native: measure(start, 'native'),
      core: measure(start, 'core'),
    })),
  }
}

/** What each side has served of all routes in the last days, by interval, the oldest first. */
export const readHistory = async (db: Reader, days: number) => {
  const { starts, from, widthMs } = await readIntervals(db, days * 24)
  const counts = new Map(
    (await listIntervalCounts(db, { label: allRoutes, from, widthMs })).map((row) => [
      row.start,
      sumSides(row),
    ]),
  )
  return {
    days,
    intervalS: widthMs / 1000,
    intervals: starts.map((start) => {
      const { native, core } = counts.get(start) ?? { native: noRequests, core: noRequests }
      const requests = native.requests + core.requests
      return {
        start: toIso(start),
        native,
        core,
        nativePercent: requests === 0 ? null : (100 * native.requests) / requests,
      }
    }),
  }
}
