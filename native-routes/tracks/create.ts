import { compactIsrc, compactIswc } from '#contracts/shared/recording-codes.ts'
import { create } from '#contracts/tracks.ts'
import { insertTrack } from '#db/queries/tracks/tracks.ts'
import { defineRoute } from '../define-route.ts'

export const createTrack = defineRoute(create, ({ actor, body }, { db }) =>
  db.tx((tx) =>
    insertTrack(tx, {
      ...body,
      ownerId: actor.accountId,
      isrcCompact: body.isrc && compactIsrc(body.isrc),
      iswcCompact: body.iswc && compactIswc(body.iswc),
    }),
  ),
)
