import { detail } from '#contracts/public.track-links.ts'
import { defineRoute } from '../define-route.ts'
import { signArtwork } from '../tracks/sign-media.ts'
import { recordVisit } from '../visits.ts'

export const showSharedTrack = defineRoute(detail, async ({ link, query }, ports) => {
  const { name, expiresAt, createdAt, trackId, title, artist, releaseDate, durationMs } = link
  const artwork = await signArtwork(link.artwork, ports)
  await recordVisit(ports, link, { type: 'track.viewed', trackId, ...query })
  return {
    link: { name, status: 'active' as const, expiresAt, createdAt },
    track: {
      id: trackId,
      title,
      artist,
      releaseDate,
      durationMs,
      artworkUrl: artwork?.url ?? null,
      artworkUrlExpiresAt: artwork?.expiresAt ?? null,
    },
  }
})
