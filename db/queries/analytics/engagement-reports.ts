import { and, between, eq, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import type { Reader } from '../../client/connection.ts'
import { engagementDays, engagementSources, engagementTotals } from '../../schema/engagement.ts'

/** A report's subject: all tracks and packs of an owner, one pack or one track. */
export interface ReportSubject {
  readonly kind: 'owner' | 'pack' | 'track'
  readonly id: string
}

/** A range of days in UTC, inclusive. */
export interface DaySpan {
  readonly from: string
  readonly to: string
}

type DailyRollup = typeof engagementDays | typeof engagementTotals | typeof engagementSources

const inReport = (table: DailyRollup, { kind, id }: ReportSubject, { from, to }: DaySpan) =>
  and(eq(table.subjectKind, kind), eq(table.subjectId, id), between(table.day, from, to))

const sum = (column: AnyPgColumn) => sql<number>`sum(${column})::int`

const selectTotals = ({ views, plays, downloads, shares }: DailyRollup) => ({
  views: sum(views),
  plays: sum(plays),
  downloads: sum(downloads),
  shares: sum(shares),
})

export const sumEngagementByDay = (db: Reader, subject: ReportSubject, span: DaySpan) => {
  const table = subject.kind === 'owner' ? engagementDays : engagementTotals
  return db
    .select({ day: table.day, ...selectTotals(table) })
    .from(table)
    .where(inReport(table, subject, span))
    .groupBy(table.day)
}

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
