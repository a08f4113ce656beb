import { type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../client/connection.ts'
import { preparedRead } from '../../client/drizzle.ts'
import {
  engagementDays,
  engagementMonths,
  engagementReturns,
  engagementTotals,
} from '../../schema/engagement.ts'
import type { DaySpan, ReportSubject } from './engagement-reports.ts'

type Rollup =
  | typeof engagementDays
  | typeof engagementMonths
  | typeof engagementReturns
  | typeof engagementTotals

const kind = sql.placeholder('kind')
const id = sql.placeholder('id')
const from = sql`${sql.placeholder('from')}::date`
const to = sql`${sql.placeholder('to')}::date`

const isOfSubject = ({ subjectKind, subjectId }: Rollup) =>
  sql`${subjectKind} = ${kind} and ${subjectId} = ${id}`

const startOfMonth = (day: SQL) => sql`date_trunc('month', (${day})::timestamp)::date`
const endOfMonth = (day: SQL) => sql`(date_trunc('month', (${day})::timestamp) + interval '1 month')::date`

const hasLaterEventsInMonth = sql`exists (
  select from ${engagementTotals} where ${isOfSubject(engagementTotals)}
    and ${engagementTotals.day} > ${to} and ${engagementTotals.day} < ${endOfMonth(to)})`

/**
 * Selects the months whose rows are read instead of their days' rows: from `months_from` up to, but not including,
 * `months_end`. If there are none, both columns hold the span's first day. The span's last month is among them unless
 * it has events after the span, which is impossible if the span ends today.
 */
const selectMonths = (firstMonth: SQL) => sql`
  ends as materialized (
    select ${firstMonth} as months_from,
      case when ${hasLaterEventsInMonth} then ${startOfMonth(to)} else ${endOfMonth(to)} end as months_end
  ), months as materialized (
    select ${from} as first_day,
      case when months_from < months_end then months_from else ${from} end as months_from,
      case when months_from < months_end then months_end else ${from} end as months_end
    from ends
  )`

// If days are compared with a subquery's value, the planner estimates a range. If these were join columns, it would
// expect a ninth of all days to match, and the plan would read the whole table.
const monthsFrom = sql`(select months_from from months)`
const monthsEnd = sql`(select months_end from months)`

const unionAll = (parts: readonly SQL[]) => sql`(${sql.join([...parts], sql` union all `)})`

/**
 * Sums `parts` by link. Joining `months` rules out parallel workers, which would take longer to start than the whole
 * statement takes.
 */
const sumByLink = (firstMonth: SQL, parts: SQL, sums: SQL) => sql`(
  with ${selectMonths(firstMonth)}, ${parts} select link_id, ${sums} from parts group by link_id) as links`

const isInMonths = sql`
  ${isOfSubject(engagementMonths)}
    and ${engagementMonths.month} >= ${monthsFrom} and ${engagementMonths.month} < ${monthsEnd}`

const countColumns = sql.raw('link_id, views, plays, downloads, shares')
const sumsOfCounts = sql.raw(
  ['views', 'plays', 'downloads', 'shares'].map((name) => `sum(${name})::int as ${name}`).join(', '),
)

const selectDays = (isInRange: SQL) => sql`
  select ${countColumns} from months, ${engagementDays} where ${isOfSubject(engagementDays)} and ${isInRange}`

const countParts = [
  sql`select ${countColumns} from months, ${engagementMonths} where ${isInMonths}`,
  selectDays(sql`${engagementDays.day} >= ${from} and ${engagementDays.day} < ${monthsFrom}`),
  selectDays(sql`${engagementDays.day} >= ${monthsEnd} and ${engagementDays.day} <= ${to}`),
]

const countsByLink = preparedRead((db) =>
  db
    .select({
      linkId: sql<string>`link_id`,
      views: sql<number>`views`,
      plays: sql<number>`plays`,
      downloads: sql<number>`downloads`,
      shares: sql<number>`shares`,
    })
    .from(sumByLink(endOfMonth(sql`${from} - 1`), sql`parts as ${unionAll(countParts)}`, sumsOfCounts))
    .prepare('engagement_by_link'),
)

/**
 * The link id is empty for events without a link. Reads months instead of days, because with many links, a year has
 * hundreds of thousands of daily rows.
 */
export const sumEngagementByLink = (db: Reader, subject: ReportSubject, span: DaySpan) =>
  countsByLink(db).execute({ ...subject, ...span })

const { day, lastDay, visitors } = engagementReturns

const selectVisitors = (count: SQL, condition: SQL) => sql`
  select link_id, ${count} as visitors from months, ${engagementReturns}
  where ${isOfSubject(engagementReturns)} and ${condition}`

const visitorParts = [
  // `newVisitors` counts visitors without an earlier visit.
  sql`select link_id, ${engagementMonths.newVisitors} as visitors from months, ${engagementMonths} where ${isInMonths}`,
  selectVisitors(
    sql`case when months_from < ${from} then -${visitors} else ${visitors} end`,
    sql`months_from <> ${from} and ${lastDay} = '-infinity'
      and ${day} >= least(${monthsFrom}, ${from}) and ${day} < greatest(${monthsFrom}, ${from})`,
  ),
  // Most rows of a short span are in this part. So the planner estimates it as a join, and its rows are summed before
  // the others are added.
  sql`select * from (${selectVisitors(
    sql`sum(${visitors})`,
    sql`months_from < months_end and ${lastDay} > '-infinity' and ${lastDay} < first_day
      and ${day} >= first_day and ${day} < months_end group by link_id`,
  )}) as returned`,
  selectVisitors(sql`${visitors}`, sql`${lastDay} < ${from} and ${day} >= ${monthsEnd} and ${day} <= ${to}`),
]

// Materialized, because a plan that does not know the number of rows would sort them.
const allVisitors = sql`parts as materialized ${unionAll(visitorParts)}`

const visitorsByLink = preparedRead((db) =>
  db
    .select({ linkId: sql<string>`link_id`, uniqueVisitors: sql<number>`visitors` })
    .from(sumByLink(startOfMonth(sql`${from} + 15`), allVisitors, sql`sum(visitors)::int as visitors`))
    .prepare('engagement_visitors_by_link'),
)

/**
 * The link id is empty for events without a link. Instead of adding up the days of the span's first month, reads the
 * whole month and subtracts the days before the span if that is less work.
 */
export const countVisitorsByLink = (db: Reader, subject: ReportSubject, span: DaySpan) =>
  visitorsByLink(db).execute({ ...subject, ...span })
