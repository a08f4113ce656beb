import { compactIsrc, compactIswc } from '#contracts/shared/recording-codes.ts'
import { update } from '#contracts/tracks.metadata.ts'
import { updateTrackMetadata } from '#db/queries/tracks/tracks.ts'
import { defineRoute } from '../define-route.ts'
import { requireLockedTrack } from './require-track.ts'

export const changeMetadata = defineRoute(update, ({ track, body }, { db }) =>
  db.tx(async (tx) => {
    await requireLockedTrack(tx, track)
    return updateTrackMetadata(tx, track.id, {
      ...body,
      isrcCompact: body.isrc && compactIsrc(body.isrc),
      iswcCompact: body.iswc && compactIswc(body.iswc),
    })
  }),
)
