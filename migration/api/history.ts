import * as z from 'zod'
import type { Label } from '#contracts/route-table.ts'
import type { Reader } from '#db/client/connection.ts'
import { listFirstRuns } from '#db/queries/evidence/evidence-sets.ts'
import { listMoves } from '#db/queries/routing/route-audit.ts'
import { allRoutes, type RouteCounts } from '#db/queries/routing/route-counts.ts'
import { listIntervalCounts, listIntervalDurations } from '#db/queries/routing/route-history.ts'
import { findDatabaseTimeMs } from '#db/queries/statement-timestamp.ts'
import { dayMs, hourMs, minuteMs } from '#shared/durations.ts'
import { findPercentile } from '#shared/histogram.ts'
import { scopesOf } from '../model/route-scope.ts'
import { requireRole } from './operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from './operator-options.ts'
import { rememberReads } from './remember-reads.ts'
import { LabelParams, sendJson, validate } from './requests.ts'

/** An open page reads its history every second, but counts are written only every ten seconds. */
const historyMaxAgeMs = 10_000
/** Daily counts are kept this long. */
const maxHistoryDays = 400

const HistoryQuery = z.strictObject({
  days: z.coerce.number<string>().int().min(1).max(maxHistoryDays).default(90),
})

const RouteHistoryQuery = z.strictObject({
  hours: z.coerce
    .number<string>()
    .int()
    .min(1)
    .max(maxHistoryDays * 24)
    .default(24),
})

/**
 * Possible interval widths. Requests are counted in ten-minute intervals, so every width is a multiple of ten minutes.
 */
const widthsMs = [
  ...[10, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 3, 6].map((hours) => hours * hourMs),
  ...[1, 2, 3].map((days) => days * dayMs),
]

const maxIntervals = 150
/** How long requests are stored in ten-minute intervals. Older requests are stored by day. */
const intervalRetentionMs = 14 * dayMs

/** Divides the last `durationMs` into intervals, oldest first. The last one is incomplete. */
const divideIntoIntervals = (durationMs: number, now: number) => {
  const narrowest = durationMs > intervalRetentionMs ? dayMs : 0
  const widthMs =
    widthsMs.find((width) => width >= narrowest && durationMs / width < maxIntervals) ?? 3 * dayMs
  const count = Math.max(1, Math.ceil(durationMs / widthMs))
  const last = Math.floor(now / widthMs) * widthMs
  return {
    widthMs,
    starts: Array.from({ length: count }, (_, index) => last - (count - 1 - index) * widthMs),
  }
}

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

const readCounts = async (db: Reader, period: Parameters<typeof listIntervalCounts>[1]) =>
  new Map((await listIntervalCounts(db, period)).map((row) => [row.start, sumSides(row)]))

const readIntervals = async (db: Reader, hours: number) => {
  const intervals = divideIntoIntervals(hours * hourMs, await findDatabaseTimeMs(db))
  return { ...intervals, from: intervals.starts[0] ?? 0 }
}

const toIso = (time: number) => new Date(time).toISOString()

// The first recorded code may have been running before it was recorded. Only later code has a known deploy time.
const readDeploys = async (db: Reader, label: Label, from: string) =>
  (await listFirstRuns(db, label)).slice(1).filter(({ at }) => at >= from)

/** Percentiles cover all instances together; null where nothing was measured. */
export const readRouteHistory = async (db: Reader, label: Label, hours: number) => {
  const { starts, from, widthMs } = await readIntervals(db, hours)
  const period = { label, from, widthMs }
  const counts = await readCounts(db, period)
  const durations = new Map((await listIntervalDurations(db, period)).map((row) => [row.start, row]))
  const measure = (start: number, side: 'native' | 'core') => {
    const measured = durations.get(start)?.[side] ?? []
    return {
      ...(counts.get(start)?.[side] ?? noRequests),
      p50Ms: findPercentile(measured, 0.5),
      p95Ms: findPercentile(measured, 0.95),
    }
  }
  return {
    label,
    hours,
    moves: await listMoves(db, scopesOf(label), toIso(from)),
    deploys: await readDeploys(db, label, toIso(from)),
    intervalS: widthMs / 1000,
    intervals: starts.map((start) => ({
      start: toIso(start),
      native: measure(start, 'native'),
      core: measure(start, 'core'),
    })),
  }
}

export const readHistory = async (db: Reader, days: number) => {
  const { starts, from, widthMs } = await readIntervals(db, days * 24)
  const counts = await readCounts(db, { label: allRoutes, from, widthMs })
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

/** Counts are up to 20 seconds old; changes this instance has adopted are always included. */
export const mountHistory = (
  app: OperatorApp,
  { database: { reader }, routing, now = Date.now }: OperatorApiOptions,
): void => {
  const rememberAll = rememberReads<Awaited<ReturnType<typeof readHistory>>>(historyMaxAgeMs, now)
  const rememberRoute = rememberReads<Awaited<ReturnType<typeof readRouteHistory>>>(historyMaxAgeMs, now)

  app.get('/api/history', requireRole('read'), validate('query', HistoryQuery), async ({ req }) => {
    const { days } = req.valid('query')
    return sendJson(await rememberAll(String(days), () => readHistory(reader, days)))
  })

  app.get(
    '/api/routes/:label/history',
    requireRole('read'),
    validate('query', RouteHistoryQuery),
    validate('param', LabelParams),
    async ({ req }) => {
      const { label } = req.valid('param')
      const { hours } = req.valid('query')
      const key = `${label} ${hours} ${routing.current().epoch}`
      return sendJson(await rememberRoute(key, () => readRouteHistory(reader, label, hours)))
    },
  )
}
