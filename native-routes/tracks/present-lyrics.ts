import type { Lyrics } from '#contracts/tracks.lyrics.ts'
import type { findTrackLyrics } from '#db/queries/track-lyrics.ts'
import type { OwnedTrack } from '#db/queries/tracks.ts'

const none = {
  text: null,
  language: null,
  lines: [],
  source: null,
  status: 'none',
  createdAt: null,
  updatedAt: null,
} as const

/** A track that never had lyrics has empty ones. */
export const presentLyrics = (
  { id }: OwnedTrack,
  lyrics: Awaited<ReturnType<typeof findTrackLyrics>>,
): Lyrics => {
  const { lines, ...rest } = lyrics ?? none
  return { trackId: id, ...rest, lines: [...lines] }
}
