import { and, between, eq, lt, ne, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import type { Reader } from '../client/connection.ts'
import { engagementDays, engagementReturns, engagementSources } from '../schema/engagement-rollups.ts'

/** What is reported on: all of an owner's things, one pack or one track. */
export interface ReportSubject {
  readonly kind: 'owner' | 'pack' | 'track'
  readonly id: string
}

/** Days in UTC, both included. */
export interface DaySpan {
  readonly from: string
  readonly to: string
}

type Rolled = typeof engagementDays | typeof engagementSources | typeof engagementReturns

const inReport = (table: Rolled, { kind, id }: ReportSubject, { from, to }: DaySpan) =>
  and(eq(table.subjectKind, kind), eq(table.subjectId, id), between(table.day, from, to))

const total = (column: AnyPgColumn) => sql<number>`sum(${column})::int`

const totalsOf = ({ views, plays, downloads, shares }: typeof engagementDays | typeof engagementSources) => ({
  views: total(views),
  plays: total(plays),
  downloads: total(downloads),
  shares: total(shares),
})

/** The days on which anything happened. */
export const sumEngagementByDay = (db: Reader, subject: ReportSubject, span: DaySpan) =>
  db
    .select({ day: engagementDays.day, ...totalsOf(engagementDays) })
    .from(engagementDays)
    .where(inReport(engagementDays, subject, span))
    .groupBy(engagementDays.day)

/** The links through which anything happened. */
export const sumEngagementByLink = (db: Reader, subject: ReportSubject, span: DaySpan) =>
  db
    .select({ linkId: engagementDays.linkId, ...totalsOf(engagementDays) })
    .from(engagementDays)
    .where(and(inReport(engagementDays, subject, span), ne(engagementDays.linkId, '')))
    .groupBy(engagementDays.linkId)

/** How many different visitors came through each link. */
export const countVisitorsByLink = (db: Reader, subject: ReportSubject, span: DaySpan) => {
  const { linkId, lastDay, visitors } = engagementReturns
  return db
    .select({ linkId, uniqueVisitors: total(visitors) })
    .from(engagementReturns)
    .where(and(inReport(engagementReturns, subject, span), lt(lastDay, span.from)))
    .groupBy(linkId)
}

/** What visitors were said to have come from, the most frequent first. */
export const sumEngagementBySource = (db: Reader, subject: ReportSubject, span: DaySpan, limit: number) => {
  const { source, views, plays, downloads, shares } = engagementSources
  return db
    .select({ source, ...totalsOf(engagementSources) })
    .from(engagementSources)
    .where(inReport(engagementSources, subject, span))
    .groupBy(source)
    .orderBy(sql`sum(${views} + ${plays} + ${downloads} + ${shares}) desc`, source)
    .limit(limit)
}
