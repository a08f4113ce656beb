import { ApiError } from '#contracts/errors.ts'
import type { Reader } from '#db/client/connection.ts'
import { findTrackSharedByToken } from '#db/queries/track-share-links.ts'
import { hashToken } from '#db/token-hash.ts'
import type { VisitedLink } from '../visits.ts'

/** An active link with the track that it opens. */
export type SharedTrack = VisitedLink & NonNullable<Awaited<ReturnType<typeof findTrackSharedByToken>>>

/**
 * The link of a token. Whatever else a token is, unknown, replaced, revoked or expired, takes the same work and says
 * the same: `track_link_unavailable`.
 */
export const requireTrackLink = async (db: Reader, token: string): Promise<SharedTrack> => {
  const link = await findTrackSharedByToken(db, hashToken(token))
  if (!link) throw new ApiError('track_link_unavailable')
  return { ...link, linkKind: 'track', isOwnersVisit: false }
}
