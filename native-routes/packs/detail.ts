import { ApiError } from '#contracts/errors.ts'
import { detail } from '#contracts/packs.ts'
import { findPackWithCount } from '#db/queries/packs/packs.ts'
import { defineRoute } from '../define-route.ts'

export const showPack = defineRoute(detail, async ({ pack }, { db }) => {
  const found = await findPackWithCount(db.read, pack.id)
  if (!found) throw new ApiError('pack_not_found')
  return found
})
