import type { FastifyRequest } from 'fastify'
import { createAccessCodeCheck } from '../access-code.ts'
import { CoreError } from '../core-error.ts'
import type { Queryable } from '../database.ts'
import { readQuery } from '../input.ts'
import { createRateLimiter, type Rate, visitorKey } from '../rate-limit.ts'
import { isActiveLink } from '../share-link.ts'
import { AccessCodeQuery } from '../visitor-input.ts'

/** A pack link in front of a visitor. */
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

/** What the path calls a link; what cannot be a slug would not be found either. */
export const slugOf = ({ params }: FastifyRequest): string => {
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

/** Opens links to whoever may see them: everybody, or who has the code, and always the owner. */
export const createPackGate = (sql: Queryable, rate: Rate | null) => {
  const codes = createAccessCodeCheck()
  const ofClient = createRateLimiter(rate)
  const ofLink = createRateLimiter(rate && { count: 100, seconds: 3600 })

  const requireCode = async (request: FastifyRequest, { linkId, accessCodeHash }: SharedPack) => {
    if (accessCodeHash === null) return
    const { accessCode } = readQuery(request, AccessCodeQuery)
    if (accessCode === undefined) throw new CoreError('access_code_required')
    if (codes.isKnown(accessCode, accessCodeHash)) return
    const client = visitorKey(request, linkId)
    // Counted ahead of the slow hash: many guesses at once are no way round the limit.
    ofClient.spend(client)
    ofLink.spend(linkId)
    if (!(await codes.verify(accessCode, accessCodeHash))) throw new CoreError('access_code_required')
    ofClient.giveBack(client)
    ofLink.giveBack(linkId)
  }

  return async (request: FastifyRequest): Promise<SharedPack> => {
    const link = await findSharedPack(sql, slugOf(request))
    if (!link) throw new CoreError('pack_link_not_found')
    if (!isOwner(request, link)) await requireCode(request, link)
    return link
  }
}
