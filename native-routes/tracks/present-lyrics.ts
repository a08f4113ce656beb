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

/** The lyrics of a track as the contract returns them; a track without lyrics has empty ones. */
export const presentLyrics = (
  { id }: OwnedTrack,
  lyrics: Awaited<ReturnType<typeof findTrackLyrics>>,
): Lyrics => {
  const { lines, ...rest } = lyrics ?? noLyrics
  return { trackId: id, ...rest, lines: [...lines] }
}
