import { detail } from '#contracts/tracks.lyrics.ts'
import { findTrackLyrics } from '#db/queries/tracks/track-lyrics.ts'
import { defineRoute } from '../define-route.ts'
import { presentLyrics } from './present-lyrics.ts'

export const showLyrics = defineRoute(detail, async ({ track }, { db }) =>
  presentLyrics(track, await findTrackLyrics(db.read, track.id)),
)
