import type { FastifyRequest } from 'fastify'
import { createAccessCodeCheck, createAdmissions } from '../access-code.ts'
import { CoreError } from '../core-error.ts'
import type { Queryable } from '../database.ts'
import { readQuery } from '../input.ts'
import { createRateLimiter, type Rates, visitorKey } from '../rate-limit.ts'
import { isActiveLink } from '../share-link.ts'
import { AccessCodeQuery } from '../visitor-input.ts'

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

/** Resolves pack links. Gated links require the access code from everyone but the owner. */
export const createPackLinkResolver = (
  sql: Queryable,
  rates: Pick<Rates, 'accessCodes' | 'accessCodesOfLink'>,
) => {
  const codes = createAccessCodeCheck()
  const admissions = createAdmissions()
  const clientLimiter = createRateLimiter(rates.accessCodes)
  const linkLimiter = createRateLimiter(rates.accessCodesOfLink)

  const requireCode = async (request: FastifyRequest, { linkId, accessCodeHash }: SharedPack) => {
    if (accessCodeHash === null) return
    const { accessCode } = readQuery(request, AccessCodeQuery)
    if (accessCode === undefined) throw new CoreError('access_code_required')
    const client = visitorKey(request, linkId)
    if (codes.isKnown(accessCode, accessCodeHash)) return admissions.add(client, accessCodeHash)
    // Counted before the slow hash, so that concurrent guesses cannot exceed the limit.
    clientLimiter.reserve(client)
    const isNewClient = !admissions.has(client, accessCodeHash)
    if (isNewClient) linkLimiter.reserve(linkId)
    if (!(await codes.verify(accessCode, accessCodeHash))) throw new CoreError('access_code_required')
    clientLimiter.refund(client)
    if (isNewClient) linkLimiter.refund(linkId)
    admissions.add(client, accessCodeHash)
  }

  return async (request: FastifyRequest): Promise<SharedPack> => {
    const link = await findSharedPack(sql, requireSlug(request))
    if (!link) throw new CoreError('pack_link_not_found')
    if (!isOwner(request, link)) await requireCode(request, link)
    return link
  }
}
