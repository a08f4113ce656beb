import { sql } from 'drizzle-orm'
import { check, customType, date, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { oneOf } from './columns.ts'

// A trigger of `engagement_events` fills these tables with every insert, whoever inserts: native and core alike, and
// for the day on which an event happened, however late it comes.

const subjectKinds = ['owner', 'pack', 'track'] as const

/** What is reported on: all of an owner's things, one pack or one track. */
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

/** Empty where it was not through a link, and for an owner, whose links are not told apart. */
const linkId = () => text().notNull()

const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' })

/**
 * The links through which something of a subject was reached. Whoever adds events locks the row of each link first,
 * so that all that follows of one link is added up by one transaction at a time.
 */
export const engagementLinks = pgTable(
  'engagement_links',
  { ...subject(), linkId: linkId(), events: integer().notNull() },
  (table) => [
    primaryKey({ columns: [table.subjectKind, table.subjectId, table.linkId] }),
    check('engagement_links_subject', oneOf(table.subjectKind, subjectKinds)),
  ],
)

/** What happened on each day (UTC) through each link. */
export const engagementDays = pgTable(
  'engagement_days',
  { ...subject(), day: day(), linkId: linkId(), ...counts() },
  (table) => [primaryKey({ columns: [table.subjectKind, table.subjectId, table.day, table.linkId] })],
)

/** The same by what visitors were told to say they came from; of a day only the first fifty are told apart. */
export const engagementSources = pgTable(
  'engagement_sources',
  { ...subject(), day: day(), source: text().notNull(), ...counts() },
  (table) => [primaryKey({ columns: [table.subjectKind, table.subjectId, table.day, table.source] })],
)

/** On which days a visitor came through a link; the visitor is a hash of what the page called its session. */
export const engagementVisits = pgTable(
  'engagement_visits',
  { ...subject(), linkId: linkId(), visitor: bytes().notNull(), day: day() },
  (table) => [
    primaryKey({ columns: [table.subjectKind, table.subjectId, table.linkId, table.visitor, table.day] }),
  ],
)

/**
 * How many visitors of a day were there last on which earlier day. The different visitors of any span of days are
 * those of its days whose last visit lies before the span, so they are a sum over this table. A visit more than 366
 * days ago, which no span reaches back to, counts as none: `-infinity`.
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
  ],
)
