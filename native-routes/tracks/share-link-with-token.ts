import { hashToken } from '#db/hashes.ts'
import type { OwnedTrack } from '#db/queries/tracks/tracks.ts'
import { syncShortLink } from '../link-tracking.ts'

/** Has 256 random bits, and is shown only once. */
export const issueToken = () => {
  const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
  return { token, stored: { tokenHash: hashToken(token), tokenPreview: token.slice(-4) } }
}

/** Only the response that issues a token contains it. */
export const addToken = <L extends object>(link: L, token: string) => ({
  ...link,
  token,
  sharePath: `/share/tracks/${token}`,
})

/** Only the request that issues the token can do this, because only the token's hash is stored. */
export const syncTrackShortLink = (
  verb: 'create' | 'reset',
  { id, sharePath }: { readonly id: string; readonly sharePath: string },
  { ownerId }: OwnedTrack,
  ports: Parameters<typeof syncShortLink>[2],
) => syncShortLink(verb, { ref: `track_link:${id}`, ownerId, path: sharePath }, ports)
