import { ApiError } from '#contracts/errors.ts'
import type { Reader } from '#db/client/connection.ts'
import { findPackOwnedBy, type OwnedPack } from '#db/queries/packs.ts'
import { isId } from './is-id.ts'
import type { Actor } from './ports.ts'

/** Finds the actor's pack; throws `pack_not_found` for any other id. */
export const requireOwnedPack = async (
  db: Reader,
  packId: string | undefined,
  { accountId }: Actor,
): Promise<OwnedPack> => {
  const pack = isId(packId) ? await findPackOwnedBy(db, packId, accountId) : null
  if (!pack) throw new ApiError('pack_not_found')
  return pack
}
