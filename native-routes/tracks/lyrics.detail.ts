import { detail } from '#contracts/tracks.lyrics.ts'
import { findTrackLyrics } from '#db/queries/track-lyrics.ts'
import { defineRoute } from '../define-route.ts'
import { lyricsOf } from './lyrics-of.ts'

export const showLyrics = defineRoute(detail, async ({ track }, { db }) =>
  lyricsOf(track, await findTrackLyrics(db.read, track.id)),
)
