import { compactIsrc, compactIswc } from '#contracts/shared/recording-codes.ts'
import { update } from '#contracts/tracks.metadata.ts'
import { updateTrackMetadata } from '#db/queries/tracks/tracks.ts'
import { defineRoute } from '../define-route.ts'
import { requireLockedTrack } from './require-locked-track.ts'

const compact = (code: string | null | undefined, compactCode: (code: string) => string) =>
  code && compactCode(code)

export const changeMetadata = defineRoute(update, ({ track, body }, { db }) =>
  db.tx(async (tx) => {
    await requireLockedTrack(tx, track)
    return updateTrackMetadata(tx, track.id, {
      ...body,
      isrcCompact: compact(body.isrc, compactIsrc),
      iswcCompact: compact(body.iswc, compactIswc),
    })
  }),
)
