import { check, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { flag, oneOf, times } from './columns.ts'
import { trackId } from './tracks.ts'

const lyricsSources = ['user', 'ai', 'import'] as const
const lyricsStatuses = ['none', 'processing', 'ready', 'failed'] as const

export interface LyricsLine {
  readonly startMs: number
  readonly endMs: number | null
  readonly text: string
}

/** The lyrics of a track. Analysis does not replace lyrics that the owner has edited or cleared. */
export const trackLyrics = pgTable(
  'track_lyrics',
  {
    trackId: trackId().primaryKey(),
    text: text(),
    language: text(),
    lines: jsonb().$type<readonly LyricsLine[]>().notNull().default([]),
    source: text({ enum: lyricsSources }),
    status: text({ enum: lyricsStatuses }).notNull().default('none'),
    userEdited: flag(),
    /** The speech recognition provider, for operators. It is not part of any response. */
    provider: text(),
    model: text(),
    ...times(),
  },
  (table) => [
    check('track_lyrics_source', oneOf(table.source, lyricsSources)),
    check('track_lyrics_status', oneOf(table.status, lyricsStatuses)),
  ],
)
