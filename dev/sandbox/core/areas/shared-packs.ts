import type { FastifyRequest } from 'fastify'
import { CoreError } from '../core-error.ts'
import type { RegisterRoutes } from '../create-app.ts'
import type { EngagementEvent } from '../engagement.ts'
import { id, pathId, readBody, readQuery } from '../input.ts'
import { createRateLimiter, visitorKey } from '../rate-limit.ts'
import { ShareEvent, VisitorQuery } from '../visitor-input.ts'
import { issueDownloadUrl, issuePlaybackUrl } from './media-urls.ts'
import { getPackPresentation } from './pack-presentation.ts'
import { createPackLinkResolver, isOwner, requireSlug, type SharedPack } from './shared-pack.ts'

const PackShareEvent = ShareEvent.extend({ trackId: id.optional() })

export const sharedPacks: RegisterRoutes = (app, parts) => {
  const { sql, rates, recordEvent } = parts
  const reads = createRateLimiter(rates.publicReads)
  const shareEvents = createRateLimiter(rates.shareEvents)
  const requireSharedPack = createPackLinkResolver(sql, rates)

  const requireForRead = (request: FastifyRequest) => {
    reads.reserve(visitorKey(request, requireSlug(request)))
    return requireSharedPack(request)
  }

  const requirePackTrack = async ({ packId }: SharedPack, trackId: string | null) => {
    const [track] = await sql<{ trackId: string }[]>`
      select track_id from pack_tracks where pack_id = ${packId} and track_id = ${trackId}`
    if (!track) throw new CoreError('track_not_found')
    return track.trackId
  }

  // Owners' visits are not recorded.
  const recordVisit = async (
    request: FastifyRequest,
    link: SharedPack,
    event: Omit<EngagementEvent, 'ownerId' | 'packId' | 'linkKind' | 'linkId'>,
  ) => {
    const { linkId, packId, ownerId } = link
    if (!isOwner(request, link))
      await recordEvent(request, { ownerId, packId, linkKind: 'pack', linkId, ...event })
  }

  const handlePresentation = async (request: FastifyRequest) => {
    const link = await requireForRead(request)
    const visitor = readQuery(request, VisitorQuery)
    const page = await getPackPresentation(parts, link)
    await recordVisit(request, link, { type: 'pack.viewed', ...visitor })
    return page
  }

  app.get('/v1/pack-links/:slug/presentation', handlePresentation)
  for (const prefix of ['/v1/pack-links', '/v1/public/pack-links']) {
    app.get(`${prefix}/:slug`, handlePresentation)

    app.get(`${prefix}/:slug/tracks/:trackId/playback-url`, async (request) => {
      const link = await requireForRead(request)
      const trackId = await requirePackTrack(link, pathId(request, 'trackId'))
      const visitor = readQuery(request, VisitorQuery)
      const playback = await issuePlaybackUrl(parts, trackId)
      await recordVisit(request, link, { type: 'track.played', trackId, ...visitor })
      return playback
    })

    app.get(`${prefix}/:slug/tracks/:trackId/download-url`, async (request) => {
      const link = await requireForRead(request)
      const trackId = await requirePackTrack(link, pathId(request, 'trackId'))
      if (link.disableDownloads) throw new CoreError('downloads_disabled')
      const visitor = readQuery(request, VisitorQuery)
      const download = await issueDownloadUrl(parts, trackId)
      await recordVisit(request, link, { type: 'track.downloaded', trackId, ...visitor })
      return download
    })

    app.post(`${prefix}/:slug/share-events`, async (request) => {
      shareEvents.reserve(visitorKey(request, requireSlug(request)))
      const link = await requireSharedPack(request)
      const { eventType, trackId, ...event } = readBody(request, PackShareEvent)
      if (trackId !== undefined) await requirePackTrack(link, trackId)
      const type = `${trackId === undefined ? 'pack' : 'track'}.${eventType}`
      await recordVisit(request, link, { type, trackId, ...event })
      return { ok: true }
    })
  }
}
