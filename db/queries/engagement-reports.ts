import { and, between, eq, lt, ne, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import type { Reader } from '../client/connection.ts'
import { engagementDays, engagementReturns, engagementSources } from '../schema/engagement-rollups.ts'

/** The subject of a report: all tracks and packs of an owner, one pack or one track. */
export interface ReportSubject {
  readonly kind: 'owner' | 'pack' | 'track'
  readonly id: string
}

/** A range of days in UTC, inclusive. */
export interface DaySpan {
  readonly from: string
  readonly to: string
}

type Rollup = typeof engagementDays | typeof engagementSources | typeof engagementReturns

const inReport = (table: Rollup, { kind, id }: ReportSubject, { from, to }: DaySpan) =>
  and(eq(table.subjectKind, kind), eq(table.subjectId, id), between(table.day, from, to))

const sum = (column: AnyPgColumn) => sql<number>`sum(${column})::int`

const selectTotals = ({
  views,
  plays,
  downloads,
  shares,
}: typeof engagementDays | typeof engagementSources) => ({
  views: sum(views),
  plays: sum(plays),
  downloads: sum(downloads),
  shares: sum(shares),
})

/** Totals per day, for days with events. */
export const sumEngagementByDay = (db: Reader, subject: ReportSubject, span: DaySpan) =>
  db
    .select({ day: engagementDays.day, ...selectTotals(engagementDays) })
    .from(engagementDays)
    .where(inReport(engagementDays, subject, span))
    .groupBy(engagementDays.day)

/** Totals per link, for links with events. */
export const sumEngagementByLink = (db: Reader, subject: ReportSubject, span: DaySpan) =>
  db
    .select({ linkId: engagementDays.linkId, ...selectTotals(engagementDays) })
    .from(engagementDays)
    .where(and(inReport(engagementDays, subject, span), ne(engagementDays.linkId, '')))
    .groupBy(engagementDays.linkId)

/** Unique visitors per link. */
export const countVisitorsByLink = (db: Reader, subject: ReportSubject, span: DaySpan) => {
  const { linkId, lastDay, visitors } = engagementReturns
  return db
    .select({ linkId, uniqueVisitors: sum(visitors) })
    .from(engagementReturns)
    .where(and(inReport(engagementReturns, subject, span), lt(lastDay, span.from)))
    .groupBy(linkId)
}

/** Totals per reported source, the most frequent first. */
export const sumEngagementBySource = (db: Reader, subject: ReportSubject, span: DaySpan, limit: number) => {
  const { source, views, plays, downloads, shares } = engagementSources
  return db
    .select({ source, ...selectTotals(engagementSources) })
    .from(engagementSources)
    .where(inReport(engagementSources, subject, span))
    .groupBy(source)
    .orderBy(sql`sum(${views} + ${plays} + ${downloads} + ${shares}) desc`, source)
    .limit(limit)
}
