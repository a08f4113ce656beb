import { check, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { flag, isOneOf, timestamps } from './columns.ts'
import { trackId } from './tracks.ts'

const lyricsSources = ['user', 'ai', 'import'] as const
const lyricsStatuses = ['none', 'processing', 'ready', 'failed'] as const

export interface StoredLyricsLine {
  readonly startMs: number
  readonly endMs: number | null
  readonly text: string
}

/**
 * A track's lyrics. `importTrackLyrics` never replaces lyrics that the owner edited or cleared. It also never replaces
 * imported lyrics with recognized ones.
 */
export const trackLyrics = pgTable(
  'track_lyrics',
  {
    trackId: trackId().primaryKey(),
    text: text(),
    language: text(),
    lines: jsonb().$type<readonly StoredLyricsLine[]>().notNull().default([]),
    source: text({ enum: lyricsSources }),
    status: text({ enum: lyricsStatuses }).notNull().default('none'),
    userEdited: flag(),
    /** The provider and model of the speech recognition, for operators. Never part of a response. */
    provider: text(),
    model: text(),
    ...timestamps(),
  },
  (table) => [
    check('track_lyrics_source', isOneOf(table.source, lyricsSources)),
    check('track_lyrics_status', isOneOf(table.status, lyricsStatuses)),
  ],
)
