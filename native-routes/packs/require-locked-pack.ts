import { ApiError } from '#contracts/errors.ts'
import type { Queryable } from '#db/client/connection.ts'
import { lockPack } from '#db/queries/packs/packs.ts'

export const requireLockedPack = async (tx: Queryable, { id }: { readonly id: string }) => {
  const pack = await lockPack(tx, id)
  if (!pack) throw new ApiError('pack_not_found')
  return pack
}
