import { ApiError } from '#contracts/errors.ts'
import type { Reader } from '#db/client/connection.ts'
import { hashToken } from '#db/hashes.ts'
import { findTrackSharedByToken } from '#db/queries/tracks/track-share-links.ts'
import type { VisitedLink } from '../visits.ts'

export type VisitedTrack = VisitedLink & NonNullable<Awaited<ReturnType<typeof findTrackSharedByToken>>>

/**
 * Returns the active link with this token. Unknown, replaced, revoked and expired tokens all throw
 * `track_link_unavailable` after the same query, so neither response nor timing reveals the reason.
 */
export const requireTrackLink = async (db: Reader, token: string): Promise<VisitedTrack> => {
  const link = await findTrackSharedByToken(db, hashToken(token))
  if (!link) throw new ApiError('track_link_unavailable')
  return { ...link, linkKind: 'track', isOwner: false }
}
