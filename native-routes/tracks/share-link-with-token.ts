import type { OwnedTrack } from '#db/queries/tracks.ts'
import { tellOfLink } from '../link-tracking.ts'

/** A link in the one answer that shows its token. */
export const withToken = <L extends object>(link: L, token: string) => ({
  ...link,
  token,
  sharePath: `/share/tracks/${token}`,
})

/** Tells the link provider of a link while its token is known. */
export const tellOfTrackLink = (
  verb: 'create' | 'redirect',
  { id, sharePath }: { readonly id: string; readonly sharePath: string },
  { ownerId }: OwnedTrack,
  ports: Parameters<typeof tellOfLink>[2],
) => tellOfLink(verb, { ref: `track_link:${id}`, ownerId, path: sharePath }, ports)
