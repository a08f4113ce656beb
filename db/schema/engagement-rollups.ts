import { sql } from 'drizzle-orm'
import { check, customType, date, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { isOneOf } from './columns.ts'

// A trigger on `engagement_events` maintains these tables for inserts by native routes and by the core. An event
// counts on the day of its occurrence, even when it arrives late.

const subjectKinds = ['owner', 'pack', 'track'] as const

/** The subject of a report: all tracks and packs of an owner, one pack or one track. */
const subject = () => ({
  subjectKind: text({ enum: subjectKinds }).notNull(),
  subjectId: text().notNull(),
})

const counts = () => ({
  views: integer().notNull().default(0),
  plays: integer().notNull().default(0),
  downloads: integer().notNull().default(0),
  shares: integer().notNull().default(0),
})

const day = () => date({ mode: 'string' }).notNull()

/** Empty for events without a link, and for owners, whose links are aggregated. */
const linkId = () => text().notNull()

const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' })

/**
 * The links through which a subject was accessed. A transaction that inserts events first locks the row of each link,
 * so that the rollups of one link are updated by one transaction at a time.
 */
export const engagementLinks = pgTable(
  'engagement_links',
  { ...subject(), linkId: linkId(), events: integer().notNull() },
  (table) => [
    primaryKey({ columns: [table.subjectKind, table.subjectId, table.linkId] }),
    check('engagement_links_subject', isOneOf(table.subjectKind, subjectKinds)),
  ],
)

/** Counts per day (UTC) and link. */
export const engagementDays = pgTable(
  'engagement_days',
  { ...subject(), day: day(), linkId: linkId(), ...counts() },
  (table) => [primaryKey({ columns: [table.subjectKind, table.subjectId, table.day, table.linkId] })],
)

/** Counts per day of a pack or track, over all links. Those of an owner are in `engagement_days`. */
export const engagementTotals = pgTable(
  'engagement_totals',
  { ...subject(), day: day(), ...counts() },
  (table) => [primaryKey({ columns: [table.subjectKind, table.subjectId, table.day] })],
)

/**
 * Counts per month (UTC) and link of a pack or track, with the visitors of the month who have no previous visit in
 * `engagement_returns`. A row exists for each month in which the link has a row in `engagement_days`.
 */
export const engagementMonths = pgTable(
  'engagement_months',
  {
    ...subject(),
    /** The first day of the month. */
    month: day(),
    linkId: linkId(),
    ...counts(),
    newVisitors: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.subjectKind, table.subjectId, table.month, table.linkId] })],
)

/** Counts per day and reported source. Only the first fifty sources of a day are distinguished. */
export const engagementSources = pgTable(
  'engagement_sources',
  { ...subject(), day: day(), source: text().notNull(), ...counts() },
  (table) => [primaryKey({ columns: [table.subjectKind, table.subjectId, table.day, table.source] })],
)

/** The days on which a visitor used a link. The visitor is a hash of the session id that the page sent. */
export const engagementVisits = pgTable(
  'engagement_visits',
  { ...subject(), linkId: linkId(), visitor: bytes().notNull(), day: day() },
  (table) => [
    primaryKey({ columns: [table.subjectKind, table.subjectId, table.linkId, table.visitor, table.day] }),
  ],
)

/**
 * The number of visitors of a day by the day of their previous visit. The unique visitors of a range are those whose
 * previous visit precedes the range, so they are a sum over this table. A previous visit more than 366 days ago, the
 * longest range, counts as none: `-infinity`.
 */
export const engagementReturns = pgTable(
  'engagement_returns',
  {
    ...subject(),
    linkId: linkId(),
    day: day(),
    lastDay: day().default(sql`'-infinity'`),
    visitors: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.subjectKind, table.subjectId, table.day, table.linkId, table.lastDay] }),
    index('engagement_returns_by_last_day')
      .on(table.subjectKind, table.subjectId, table.lastDay, table.day)
      .where(sql`${table.lastDay} > '-infinity'`),
  ],
)
