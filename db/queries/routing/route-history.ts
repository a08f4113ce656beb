import { type SQL, sql } from 'drizzle-orm'
import { storedDurationBuckets } from '#shared/histogram.ts'
import type { Reader } from '../../client/connection.ts'
import { countNames, mapCounts, type RouteCounts } from './route-counts.ts'

export interface IntervalCountsRow extends RouteCounts {
  readonly start: number
}

interface HistoryPeriod {
  readonly label: string
  /** Start of the first interval, in Unix milliseconds. */
  readonly from: number
  /** If this is a day or more, `from` must be the start of a day. */
  readonly widthMs: number
}

// A count is in either the interval table or the day table, never in both, so they can be added. Leaves out rows from
// the future, which come from a machine with a wrong clock.
const countedIn = ({ label, from }: HistoryPeriod, columns: SQL) => {
  const isOfLabel = sql`label = ${label}`
  const start = sql`to_timestamp(${from / 1000}::double precision)`
  return sql`
    select interval_start as counted_at, ${columns} from route_counts
    where ${isOfLabel} and interval_start >= ${start} and interval_start <= statement_timestamp()
    union all
    select day::timestamp at time zone 'UTC', ${columns} from route_counts_daily
    where ${isOfLabel} and day >= (${start} at time zone 'UTC')::date and day <= (statement_timestamp() at time zone 'UTC')::date`
}

// Computed in milliseconds, because `date_trunc` cannot truncate to several days.
const startOf = ({ widthMs }: HistoryPeriod) =>
  sql`floor(extract(epoch from counted_at) * 1000 / ${widthMs}::bigint) * ${widthMs}::bigint`

const classes = sql.raw(countNames.join(', '))
const table = sql`history`
const sumOf = (name: string) => sql`sum(${sql.identifier(name)})::float8`.mapWith(Number)
const start = sql`start`.mapWith(Number)

export const listIntervalCounts = (db: Reader, period: HistoryPeriod): Promise<IntervalCountsRow[]> =>
  db
    .select({ start, ...mapCounts(sumOf) })
    .from(
      sql`(select ${startOf(period)} as start, ${classes} from (${countedIn(period, classes)}) as counted) as ${table}`,
    )
    .groupBy(sql`start`)
    .orderBy(sql`start`)

export interface IntervalDurationsRow {
  readonly start: number
  /** How many requests fall into each of `storedDurationBuckets`. */
  readonly native: readonly number[]
  readonly core: readonly number[]
}

// Sums each bucket by its index, because the same sums over `unnest` take ten times as long.
const sumBuckets = (column: SQL) => {
  const sums = Array.from(
    { length: storedDurationBuckets.count },
    (_, index) => sql`coalesce(sum(${column}[${sql.raw(String(index + 1))}]), 0)`,
  )
  return sql<number[]>`array_to_json(array[${sql.join(sums, sql`, `)}]::float8[])`
}
const native = sql.raw('native_durations')
const core = sql.raw('core_durations')
const durations = sql`${native}::bigint[], ${core}::bigint[]`

export const listIntervalDurations = (db: Reader, period: HistoryPeriod): Promise<IntervalDurationsRow[]> =>
  db
    .select({ start, native: sumBuckets(native), core: sumBuckets(core) })
    .from(
      sql`(select ${startOf(period)} as start, native_durations, core_durations
        from (${countedIn(period, durations)}) as counted) as ${table}`,
    )
    .groupBy(sql`start`)
    .orderBy(sql`start`)
