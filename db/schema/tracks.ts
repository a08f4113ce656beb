import { sql } from 'drizzle-orm'
import { check, date, index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { id, oneOf, times } from './columns.ts'

const processingStates = ['pending', 'processing', 'ready', 'failed'] as const

export const tracks = pgTable(
  'tracks',
  {
    id: id(),
    ownerId: text().notNull(),
    title: text().notNull(),
    artist: text().notNull(),
    /** As the owner wrote it; the compact form beside it is what look-ups compare. */
    isrc: text(),
    isrcCompact: text(),
    iswc: text(),
    iswcCompact: text(),
    releaseDate: date({ mode: 'string' }),
    durationMs: integer(),
    currentVersionId: text(),
    processingState: text({ enum: processingStates }).notNull().default('pending'),
    ...times(),
  },
  (table) => [
    index('tracks_newest_first').on(table.ownerId, table.createdAt, table.id),
    index('tracks_isrc').on(table.ownerId, table.isrcCompact).where(sql`${table.isrcCompact} is not null`),
    index('tracks_iswc').on(table.ownerId, table.iswcCompact).where(sql`${table.iswcCompact} is not null`),
    check('tracks_processing_state', oneOf(table.processingState, processingStates)),
    check('tracks_duration', sql`${table.durationMs} >= 0`),
    check('tracks_isrc_compact', sql`(${table.isrc} is null) = (${table.isrcCompact} is null)`),
    check('tracks_iswc_compact', sql`(${table.iswc} is null) = (${table.iswcCompact} is null)`),
  ],
)
