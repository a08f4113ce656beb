import type { OwnedTrack } from '#db/queries/tracks.ts'
import { syncShortLink } from '../link-tracking.ts'

/** A link in the one answer that shows its token. */
export const addToken = <L extends object>(link: L, token: string) => ({
  ...link,
  token,
  sharePath: `/share/tracks/${token}`,
})

/** Tells the link provider of a link while its token is known. */
export const syncTrackShortLink = (
  verb: 'create' | 'redirect',
  { id, sharePath }: { readonly id: string; readonly sharePath: string },
  { ownerId }: OwnedTrack,
  ports: Parameters<typeof syncShortLink>[2],
) => syncShortLink(verb, { ref: `track_link:${id}`, ownerId, path: sharePath }, ports)
