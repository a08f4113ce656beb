import type { FastifyRequest } from 'fastify'
import { CoreError } from '../core-error.ts'
import type { RegisterRoutes } from '../create-app.ts'
import { readBody, readQuery } from '../input.ts'
import { createRateLimiter, visitorKey } from '../rate-limit.ts'
import { hashPathToken, isActiveLink } from '../share-link.ts'
import { ShareEvent, VisitorQuery } from '../visitor-input.ts'
import { type Artwork, issuePlaybackUrl, signArtwork } from './media-urls.ts'

interface SharedTrack extends Artwork {
  readonly linkId: string
  readonly linkName: string | null
  readonly expiresAt: Date | null
  readonly linkedAt: Date
  readonly ownerId: string
  readonly trackId: string
  readonly title: string
  readonly artist: string
  readonly releaseDate: string | null
  readonly durationMs: number | null
}

export const publicTrackLinks: RegisterRoutes = (app, parts) => {
  const { sql, settings, recordEvent } = parts
  const reads = createRateLimiter(settings.RATE_LIMIT_PUBLIC_READS)
  const shareEvents = createRateLimiter(settings.RATE_LIMIT_SHARE_EVENTS)

  const requireLink = async (request: FastifyRequest) => {
    const [link] = await sql<SharedTrack[]>`
      select links.id as link_id, links.name as link_name, expires_at, links.created_at as linked_at, owner_id,
        tracks.id as track_id, tracks.title, artist, release_date::text as release_date, duration_ms,
        artwork.storage_key as artwork_key, artwork.content_type as artwork_type
      from track_share_links links join tracks on tracks.id = links.track_id
        left join media_assets artwork on artwork.track_id = tracks.id and is_primary
      where token_hash = ${hashPathToken(request)} and ${isActiveLink(sql)}`
    if (!link) throw new CoreError('track_link_unavailable')
    return link
  }
  const eventFields = ({ ownerId, trackId, linkId }: SharedTrack) =>
    ({ ownerId, trackId, linkKind: 'track', linkId }) as const

  app.get('/v1/public/track-links/:token', async (request) => {
    reads.reserve(visitorKey(request, hashPathToken(request)))
    const link = await requireLink(request)
    const { title, artist, releaseDate, durationMs } = link
    const visitor = readQuery(request, VisitorQuery)
    const artwork = await signArtwork(parts, link)
    await recordEvent(request, { ...eventFields(link), type: 'track.viewed', ...visitor })
    return {
      link: { name: link.linkName, status: 'active', expiresAt: link.expiresAt, createdAt: link.linkedAt },
      track: { id: link.trackId, title, artist, releaseDate, durationMs, ...artwork },
    }
  })

  app.get('/v1/public/track-links/:token/playback-url', async (request) => {
    reads.reserve(visitorKey(request, hashPathToken(request)))
    const link = await requireLink(request)
    const visitor = readQuery(request, VisitorQuery)
    const playback = await issuePlaybackUrl(parts, link.trackId)
    await recordEvent(request, { ...eventFields(link), type: 'track.played', ...visitor })
    return playback
  })

  app.post('/v1/public/track-links/:token/share-events', async (request) => {
    shareEvents.reserve(visitorKey(request, hashPathToken(request)))
    const link = await requireLink(request)
    const { eventType, ...event } = readBody(request, ShareEvent)
    await recordEvent(request, { ...eventFields(link), type: `track.${eventType}`, ...event })
    return { ok: true }
  })
}
