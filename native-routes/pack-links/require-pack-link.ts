import { ApiError } from '#contracts/errors.ts'
import { isId } from '#contracts/shared/primitives.ts'
import type { Reader } from '#db/client/connection.ts'
import { findPackSharedBySlug } from '#db/queries/packs/pack-links.ts'
import { findTrackOfPack } from '#db/queries/packs/pack-tracks.ts'
import type { Actor, ScopePorts } from '../ports.ts'
import type { Visit, VisitedLink } from '../visits.ts'

type PackLinkRow = NonNullable<Awaited<ReturnType<typeof findPackSharedBySlug>>>

export type SharedPack = VisitedLink & PackLinkRow

const slugShape = /^[a-z0-9-]{3,64}$/

// A wrong code and a missing one return the same error.
const requireCode = async (
  link: PackLinkRow,
  visit: Visit,
  { accessCodes }: Pick<ScopePorts, 'accessCodes'>,
) => {
  const { linkId, accessCodeHash, updatedAt } = link
  if (accessCodeHash === null) return
  const accessCode = visit.accessCode()
  if (accessCode === undefined) throw new ApiError('access_code_required')
  const gate = { linkId, version: updatedAt, hash: accessCodeHash }
  if (!(await accessCodes.isCorrect(accessCode, gate, visit.client())))
    throw new ApiError('access_code_required')
}

/**
 * If the link has an access code, everyone but the owner must send it. Revoked and expired links throw
 * `pack_link_not_found`, like an unknown slug.
 */
export const requirePackLink = async (
  slug: string,
  visit: Visit,
  actor: Actor | null,
  ports: ScopePorts,
): Promise<SharedPack> => {
  const link = slugShape.test(slug) ? await findPackSharedBySlug(ports.db.read, slug) : null
  if (!link) throw new ApiError('pack_link_not_found')
  const isOwnersVisit = actor?.accountId === link.ownerId
  if (!isOwnersVisit) await requireCode(link, visit, ports)
  return { ...link, linkKind: 'pack', isOwner: isOwnersVisit }
}

export const requireTrackOfPack = async (db: Reader, { packId }: SharedPack, trackId: string) => {
  const track = isId(trackId) ? await findTrackOfPack(db, packId, trackId) : null
  if (!track) throw new ApiError('track_not_found')
  return track
}
