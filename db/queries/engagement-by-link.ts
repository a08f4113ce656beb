import { type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../client/connection.ts'
import { engagementDays, engagementMonths, engagementReturns } from '../schema/engagement-rollups.ts'
import type { DaySpan, ReportSubject } from './engagement-reports.ts'

type Rollup = typeof engagementDays | typeof engagementMonths | typeof engagementReturns

const isOf = ({ kind, id }: ReportSubject, { subjectKind, subjectId }: Rollup) =>
  sql`${subjectKind} = ${kind} and ${subjectId} = ${id}`

// The months that lie completely in a span begin on or after `monthsFrom` and before `monthsEnd`. SQL calculates them,
// so that the statement has the same parameters for every span.
const startOfMonth = (day: SQL) => sql`date_trunc('month', (${day})::timestamp)`
const monthsFrom = ({ from }: DaySpan) =>
  sql`(${startOfMonth(sql`${from}::date - 1`)} + interval '1 month')::date`
const monthsEnd = ({ to }: DaySpan) => sql`${startOfMonth(sql`${to}::date + 1`)}::date`

// Two ranges of an index, which `or` would make a filter of the whole span.
const listRangesOutsideMonths = (span: DaySpan, day: SQL) => [
  sql`${day} >= ${span.from}::date and ${day} < least(${monthsFrom(span)}, ${span.to}::date + 1)`,
  sql`${day} >= greatest(${monthsFrom(span)}, ${monthsEnd(span)}) and ${day} <= ${span.to}::date`,
]

const countColumns = sql.raw('link_id, views, plays, downloads, shares')
const linkId = sql<string>`link_id`
const sumOf = (column: string) => sql<number>`sum(${sql.identifier(column)})::int`

const union = (parts: readonly SQL[]) => sql`(${sql.join([...parts], sql` union all `)}) as parts`

const isInMonths = (subject: ReportSubject, span: DaySpan) => sql`
  ${isOf(subject, engagementMonths)}
    and ${engagementMonths.month} >= ${monthsFrom(span)} and ${engagementMonths.month} < ${monthsEnd(span)}`

/**
 * Totals of a pack or track per link, for links with events. The link id is empty for events without a link. Months are
 * read instead of their days: with many links, a year has hundreds of thousands of days.
 */
export const sumEngagementByLink = (db: Reader, subject: ReportSubject, span: DaySpan) => {
  const days = listRangesOutsideMonths(span, sql`${engagementDays.day}`).map(
    (isInRange) =>
      sql`select ${countColumns} from ${engagementDays} where ${isOf(subject, engagementDays)} and ${isInRange}`,
  )
  const months = sql`select ${countColumns} from ${engagementMonths} where ${isInMonths(subject, span)}`
  return db
    .select({
      linkId,
      views: sumOf('views'),
      plays: sumOf('plays'),
      downloads: sumOf('downloads'),
      shares: sumOf('shares'),
    })
    .from(union([months, ...days]))
    .groupBy(linkId)
}

/** Unique visitors of a pack or track per link, which is empty for events without a link. */
export const countVisitorsByLink = (db: Reader, subject: ReportSubject, span: DaySpan) => {
  const { day, lastDay, linkId: link, visitors } = engagementReturns
  const isFirstInSpan = sql`${isOf(subject, engagementReturns)} and ${lastDay} < ${span.from}::date`
  const selectVisitors = (condition: SQL) =>
    sql`select ${link}, ${visitors} from ${engagementReturns} where ${isFirstInSpan} and ${condition}`
  const months = sql`
    select ${engagementMonths.linkId}, ${engagementMonths.newVisitors} from ${engagementMonths}
    where ${isInMonths(subject, span)}`
  // `newVisitors` has those without a previous visit.
  const returned = selectVisitors(sql`
    ${lastDay} > '-infinity' and ${day} >= ${monthsFrom(span)} and ${day} < ${monthsEnd(span)}`)
  const days = listRangesOutsideMonths(span, sql`${day}`).map(selectVisitors)
  return db
    .select({ linkId, uniqueVisitors: sumOf('visitors') })
    .from(union([returned, months, ...days]))
    .groupBy(linkId)
}
