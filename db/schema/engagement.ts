import { sql } from 'drizzle-orm'
import { check, customType, date, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { id, isOneOf, timestamp } from './columns.ts'

/** What visitors did with tracks and packs. A row remains when its track, pack or link is gone. */
export const engagementEvents = pgTable(
  'engagement_events',
  {
    id: id(),
    ownerId: text().notNull(),
    type: text().notNull(),
    occurredAt: timestamp().notNull(),
    packId: text(),
    trackId: text(),
    linkKind: text({ enum: ['track', 'pack'] }),
    linkId: text(),
    source: text(),
    channel: text(),
    positionMs: integer(),
    durationMs: integer(),
    visitorId: text(),
    sessionId: text(),
  },
  (table) => [index('engagement_events_newest_first').on(table.ownerId, table.occurredAt, table.id)],
)

// A trigger on `engagement_events` maintains these tables, no matter whether native or the core inserts events. An
// event counts on the day it occurred, even if it arrives late.

const subjectKinds = ['owner', 'pack', 'track'] as const

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

/** Empty for events without a link, and for owners, because an owner's counts cover all links. */
const linkId = () => text().notNull()

const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' })

/**
 * Links through which a subject was accessed. A transaction that inserts events first locks the row of each link, so
 * that only one transaction at a time updates a link's rollups.
 */
export const engagementLinks = pgTable(
  'engagement_links',
  { ...subject(), linkId: linkId(), events: integer().notNull() },
  (table) => [
    primaryKey({ columns: [table.subjectKind, table.subjectId, table.linkId] }),
    check('engagement_links_subject', isOneOf(table.subjectKind, subjectKinds)),
  ],
)

export const engagementDays = pgTable(
  'engagement_days',
  { ...subject(), day: day(), linkId: linkId(), ...counts() },
  (table) => [primaryKey({ columns: [table.subjectKind, table.subjectId, table.day, table.linkId] })],
)

/** A pack's or track's counts per day over all its links. An owner's counts are in `engagement_days`. */
export const engagementTotals = pgTable(
  'engagement_totals',
  { ...subject(), day: day(), ...counts() },
  (table) => [primaryKey({ columns: [table.subjectKind, table.subjectId, table.day] })],
)

/**
 * A pack's or track's counts per month (UTC) and link, including the visitors who have no earlier visit in
 * `engagement_returns`. A month has a row if the link has one in `engagement_days` in that month.
 */
export const engagementMonths = pgTable(
  'engagement_months',
  {
    ...subject(),
    month: day(),
    linkId: linkId(),
    ...counts(),
    newVisitors: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.subjectKind, table.subjectId, table.month, table.linkId] })],
)

/** Counts per day and reported source. Only the first fifty sources of a day are counted separately. */
export const engagementSources = pgTable(
  'engagement_sources',
  { ...subject(), day: day(), source: text().notNull(), ...counts() },
  (table) => [primaryKey({ columns: [table.subjectKind, table.subjectId, table.day, table.source] })],
)

/** The days on which a visitor used a link. The visitor is a hash of the page's session id. */
export const engagementVisits = pgTable(
  'engagement_visits',
  { ...subject(), linkId: linkId(), visitor: bytes().notNull(), day: day() },
  (table) => [
    primaryKey({ columns: [table.subjectKind, table.subjectId, table.linkId, table.visitor, table.day] }),
  ],
)

/**
 * A day's visitors, by the day of their previous visit. The unique visitors of a range are those without an earlier
 * visit in the range, so they are a sum over this table. A previous visit more than 366 days ago (the longest range)
 * counts as none, which is stored as `-infinity`.
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
