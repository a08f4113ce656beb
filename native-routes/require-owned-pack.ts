import { ApiError } from '#contracts/errors.ts'
import type { Reader } from '#db/client/connection.ts'
import { findPackOwnedBy, type OwnedPack } from '#db/queries/packs.ts'
import { isId } from './is-id.ts'
import type { Actor } from './ports.ts'

/**
 * Returns the pack if the actor owns it. Throws `pack_not_found` if another account owns it, if it does not exist or if
 * the id is absent or malformed, so that these cases cannot be told apart.
 */
export const requireOwnedPack = async (
  db: Reader,
  packId: string | undefined,
  { accountId }: Actor,
): Promise<OwnedPack> => {
  const pack = isId(packId) ? await findPackOwnedBy(db, packId, accountId) : null
  if (!pack) throw new ApiError('pack_not_found')
  return pack
}
