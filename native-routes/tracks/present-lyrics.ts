import type { Lyrics } from '#contracts/tracks.lyrics.ts'
import type { findTrackLyrics } from '#db/queries/tracks/track-lyrics.ts'
import type { OwnedTrack } from '#db/queries/tracks/tracks.ts'

const noLyrics = {
  text: null,
  language: null,
  lines: [],
  source: null,
  status: 'none',
  createdAt: null,
  updatedAt: null,
} as const

export const presentLyrics = (
  { id }: OwnedTrack,
  lyrics: Awaited<ReturnType<typeof findTrackLyrics>>,
): Lyrics => {
  const { lines, ...rest } = lyrics ?? noLyrics
  return { trackId: id, ...rest, lines: [...lines] }
}
