import type { FastifyRequest } from 'fastify'
import { createAccessCodeCheck, createAdmissions } from '../access-code.ts'
import { CoreError } from '../core-error.ts'
import type { CoreParts, RegisterRoutes } from '../create-app.ts'
import type { Queryable } from '../database.ts'
import type { EngagementEvent } from '../engagement.ts'
import { id, pathId, readBody, readQuery } from '../input.ts'
import { createRateLimiter, visitorKey } from '../rate-limit.ts'
import { isActiveLink } from '../share-link.ts'
import { AccessCodeQuery, ShareEvent, VisitorQuery } from '../visitor-input.ts'
import { type Artwork, issueDownloadUrl, issuePlaybackUrl, signArtwork } from './media-urls.ts'

interface SharedPack {
  readonly linkId: string
  readonly packId: string
  readonly ownerId: string
  readonly slug: string
  readonly linkName: string | null
  readonly expiresAt: Date | null
  readonly disableDownloads: boolean
  readonly accessCodeHash: string | null
}

const requireSlug = ({ params }: FastifyRequest): string => {
  const slug: unknown = params && typeof params === 'object' ? Reflect.get(params, 'slug') : undefined
  if (typeof slug !== 'string' || !/^[a-z0-9-]{3,64}$/.test(slug)) throw new CoreError('pack_link_not_found')
  return slug
}

const findSharedPack = async (sql: Queryable, slug: string) => {
  const [link] = await sql<SharedPack[]>`
    select pack_links.id as link_id, pack_id, owner_id, slug, pack_links.name as link_name, expires_at,
      disable_downloads, access_code_hash
    from pack_links join packs on packs.id = pack_id where slug = ${slug} and ${isActiveLink(sql)}`
  return link ?? null
}

const isOwner = ({ signedIn }: FastifyRequest, { ownerId }: { readonly ownerId: string }) =>
  signedIn?.accountId === ownerId

/** Resolves pack links. Gated links require the access code from everyone but the owner. */
const createPackLinkResolver = ({ sql, settings }: CoreParts) => {
  const codes = createAccessCodeCheck()
  const admissions = createAdmissions()
  const clientLimiter = createRateLimiter(settings.RATE_LIMIT_ACCESS_CODES)
  const linkLimiter = createRateLimiter(settings.RATE_LIMIT_ACCESS_CODES_LINK)

  const requireCode = async (request: FastifyRequest, { linkId, accessCodeHash }: SharedPack) => {
    if (accessCodeHash === null) return
    const { accessCode } = readQuery(request, AccessCodeQuery)
    if (accessCode === undefined) throw new CoreError('access_code_required')
    const client = visitorKey(request, linkId)
    const admission = `${client} ${accessCodeHash}`
    if (codes.isKnown(accessCode, accessCodeHash)) return admissions.add(admission)
    // Counted before the slow hash, so that concurrent guesses cannot exceed the limit.
    clientLimiter.reserve(client)
    const isNewClient = !admissions.has(admission)
    if (isNewClient) linkLimiter.reserve(linkId)
    if (!(await codes.verify(accessCode, accessCodeHash))) throw new CoreError('access_code_required')
    clientLimiter.refund(client)
    if (isNewClient) linkLimiter.refund(linkId)
    admissions.add(admission)
  }

  return async (request: FastifyRequest): Promise<SharedPack> => {
    const link = await findSharedPack(sql, requireSlug(request))
    if (!link) throw new CoreError('pack_link_not_found')
    if (!isOwner(request, link)) await requireCode(request, link)
    return link
  }
}

interface TrackRow extends Artwork {
  readonly durationMs: number | null
  readonly playable: boolean
}

const listTracks = (sql: Queryable, packId: string) => sql<TrackRow[]>`
  select tracks.id, position, tracks.title, artist, tracks.duration_ms, release_date::text as release_date,
    artwork.storage_key as artwork_key, artwork.content_type as artwork_type,
    coalesce(versions.status = 'ready', false) as playable
  from pack_tracks join tracks on tracks.id = pack_tracks.track_id
    left join media_assets artwork on artwork.track_id = tracks.id and artwork.is_primary
    left join track_versions versions on versions.id = current_version_id
  where pack_id = ${packId} order by position, added_at, tracks.id`

const getPackPresentation = async (parts: CoreParts, link: SharedPack) => {
  const { sql } = parts
  const [pack] = await sql`
    select packs.id, name, description, display_name as owner_display_name, packs.created_at
    from packs left join accounts on accounts.id = owner_id where packs.id = ${link.packId}`
  if (!pack) throw new CoreError('pack_link_not_found')
  const tracks = await listTracks(sql, link.packId)
  const downloadsEnabled = !link.disableDownloads
  return {
    link: {
      slug: link.slug,
      name: link.linkName,
      expiresAt: link.expiresAt,
      downloadsEnabled,
      requiresAccessCode: link.accessCodeHash !== null,
    },
    pack: {
      ...pack,
      // Packs have no artwork.
      artworkUrl: null,
      trackCount: tracks.length,
      totalDurationMs: tracks.reduce((total, track) => total + (track.durationMs ?? 0), 0),
    },
    tracks: await Promise.all(
      tracks.map(async ({ artworkKey, artworkType, playable, ...track }) => ({
        ...track,
        artworkUrl: (await signArtwork(parts, { artworkKey, artworkType })).artworkUrl,
        downloadable: playable && downloadsEnabled,
      })),
    ),
  }
}

const PackShareEvent = ShareEvent.extend({ trackId: id.optional() })

export const sharedPacks: RegisterRoutes = (app, parts) => {
  const { sql, settings, recordEvent } = parts
  const reads = createRateLimiter(settings.RATE_LIMIT_PUBLIC_READS)
  const shareEvents = createRateLimiter(settings.RATE_LIMIT_SHARE_EVENTS)
  const requireSharedPack = createPackLinkResolver(parts)

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
