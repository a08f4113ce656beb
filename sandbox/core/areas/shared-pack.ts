import type { FastifyRequest } from 'fastify'
import { createAccessCodeCheck } from '../access-code.ts'
import { CoreError } from '../core-error.ts'
import type { Queryable } from '../database.ts'
import { readQuery } from '../input.ts'
import { createRateLimiter, type Rate, visitorKey } from '../rate-limit.ts'
import { isActiveLink } from '../share-link.ts'
import { AccessCodeQuery } from '../visitor-input.ts'

/** An active pack link with its pack and owner. */
export interface SharedPack {
  readonly linkId: string
  readonly packId: string
  readonly ownerId: string
  readonly slug: string
  readonly linkName: string | null
  readonly expiresAt: Date | null
  readonly disableDownloads: boolean
  readonly accessCodeHash: string | null
}

/** The slug in the path; throws `pack_link_not_found` for an invalid one. */
export const requireSlug = ({ params }: FastifyRequest): string => {
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

export const isOwner = ({ signedIn }: FastifyRequest, { ownerId }: { readonly ownerId: string }) =>
  signedIn?.accountId === ownerId

/** Resolves pack links: gated links require the access code, except for the owner. */
export const createPackLinkResolver = (sql: Queryable, rate: Rate | null) => {
  const codes = createAccessCodeCheck()
  const clientLimiter = createRateLimiter(rate)
  const linkLimiter = createRateLimiter(rate && { count: 100, seconds: 3600 })

  const requireCode = async (request: FastifyRequest, { linkId, accessCodeHash }: SharedPack) => {
    if (accessCodeHash === null) return
    const { accessCode } = readQuery(request, AccessCodeQuery)
    if (accessCode === undefined) throw new CoreError('access_code_required')
    if (codes.isKnown(accessCode, accessCodeHash)) return
    const client = visitorKey(request, linkId)
    // Reserved before the slow hash, so that concurrent guesses cannot exceed the limit.
    clientLimiter.reserve(client)
    linkLimiter.reserve(linkId)
    if (!(await codes.verify(accessCode, accessCodeHash))) throw new CoreError('access_code_required')
    clientLimiter.refund(client)
    linkLimiter.refund(linkId)
  }

  return async (request: FastifyRequest): Promise<SharedPack> => {
    const link = await findSharedPack(sql, requireSlug(request))
    if (!link) throw new CoreError('pack_link_not_found')
    if (!isOwner(request, link)) await requireCode(request, link)
    return link
  }
}
