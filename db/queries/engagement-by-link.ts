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

const noCounts = sql.raw('0 as views, 0 as plays, 0 as downloads, 0 as shares')

const listParts = (subject: ReportSubject, span: DaySpan) => {
  const { day: visitDay, lastDay, linkId, visitors } = engagementReturns
  const months = sql`
    select ${engagementMonths.linkId}, ${engagementMonths.views}, ${engagementMonths.plays}, ${engagementMonths.downloads},
      ${engagementMonths.shares}, ${engagementMonths.newVisitors} as visitors
    from ${engagementMonths}
    where ${isOf(subject, engagementMonths)}
      and ${engagementMonths.month} >= ${monthsFrom(span)} and ${engagementMonths.month} < ${monthsEnd(span)}`
  // Visitors who return: `newVisitors` has those without a previous visit.
  const returned = sql`
    select ${linkId}, ${noCounts}, ${visitors} from ${engagementReturns}
    where ${isOf(subject, engagementReturns)} and ${lastDay} > '-infinity' and ${lastDay} < ${span.from}::date
      and ${visitDay} >= ${monthsFrom(span)} and ${visitDay} < ${monthsEnd(span)}`
  const countsOfDays = listRangesOutsideMonths(span, sql`${engagementDays.day}`).map(
    (isInRange) => sql`
      select ${engagementDays.linkId}, ${engagementDays.views}, ${engagementDays.plays}, ${engagementDays.downloads},
        ${engagementDays.shares}, 0 as visitors
      from ${engagementDays} where ${isOf(subject, engagementDays)} and ${isInRange}`,
  )
  const visitorsOfDays = listRangesOutsideMonths(span, sql`${visitDay}`).map(
    (isInRange) => sql`
      select ${linkId}, ${noCounts}, ${visitors} from ${engagementReturns}
      where ${isOf(subject, engagementReturns)} and ${isInRange} and ${lastDay} < ${span.from}::date`,
  )
  return [months, returned, ...countsOfDays, ...visitorsOfDays]
}

const linkId = sql<string>`link_id`
const sumOf = (column: string) => sql<number>`sum(${sql.identifier(column)})::int`

/**
 * Totals and unique visitors of a pack or track per link, for links with events. The link id is empty for events without
 * a link. Months are read instead of their days: with many links, a year has hundreds of thousands of days.
 */
export const sumEngagementByLink = (db: Reader, subject: ReportSubject, span: DaySpan) =>
  db
    .select({
      linkId,
      views: sumOf('views'),
      plays: sumOf('plays'),
      downloads: sumOf('downloads'),
      shares: sumOf('shares'),
      uniqueVisitors: sumOf('visitors'),
    })
    .from(sql`(${sql.join(listParts(subject, span), sql` union all `)}) as parts`)
    .groupBy(linkId)
