import { replace } from '#contracts/tracks.lyrics.ts'
import { replaceTrackLyricsByOwner } from '#db/queries/tracks/track-lyrics.ts'
import { defineRoute } from '../define-route.ts'
import { presentLyrics } from './present-lyrics.ts'
import { requireLockedTrack } from './require-track.ts'

export const replaceLyrics = defineRoute(replace, ({ track, body }, { db }) =>
  db.tx(async (tx) => {
    await requireLockedTrack(tx, track)
    const isCleared = body.text === '' && body.lines.length === 0
    const written = isCleared
      ? ({ ...body, text: null, status: 'none' } as const)
      : ({ ...body, status: 'ready' } as const)
    return presentLyrics(track, await replaceTrackLyricsByOwner(tx, track.id, written))
  }),
)
