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

/** A track's lyrics. Analysis leaves alone what its owner has written, also that they have cleared them. */
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
    /** Who recognised the words, for whoever runs the service; no caller is told. */
    provider: text(),
    model: text(),
    ...times(),
  },
  (table) => [
    check('track_lyrics_source', oneOf(table.source, lyricsSources)),
    check('track_lyrics_status', oneOf(table.status, lyricsStatuses)),
  ],
)
