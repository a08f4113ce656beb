import { ApiError } from '#contracts/errors.ts'
import { isId } from '#contracts/shared/primitives.ts'
import type { Queryable } from '#db/client/connection.ts'
import { lockTrackShareLink } from '#db/queries/tracks/track-share-links.ts'
import type { OwnedTrack } from '#db/queries/tracks/tracks.ts'

export const requireLockedShareLink = async (tx: Queryable, { id }: OwnedTrack, linkId: string) => {
  const link = isId(linkId) ? await lockTrackShareLink(tx, id, linkId) : null
  if (!link) throw new ApiError('share_link_not_found')
  return link
}
