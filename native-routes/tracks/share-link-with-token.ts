import type { OwnedTrack } from '#db/queries/tracks/tracks.ts'
import { syncShortLink } from '../link-tracking.ts'

/** Adds the token to a link. Only the response that issues a token contains it. */
export const addToken = <L extends object>(link: L, token: string) => ({
  ...link,
  token,
  sharePath: `/share/tracks/${token}`,
})

/**
 * Syncs a link with the link provider. Only the request that issues the token can do this, because only the token's
 * hash is stored.
 */
export const syncTrackShortLink = (
  verb: 'create' | 'reset',
  { id, sharePath }: { readonly id: string; readonly sharePath: string },
  { ownerId }: OwnedTrack,
  ports: Parameters<typeof syncShortLink>[2],
) => syncShortLink(verb, { ref: `track_link:${id}`, ownerId, path: sharePath }, ports)
