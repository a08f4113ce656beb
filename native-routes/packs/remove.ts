import { ApiError } from '#contracts/errors.ts'
import { remove } from '#contracts/packs.ts'
import { deletePack } from '#db/queries/packs/packs.ts'
import { defineRoute } from '../define-route.ts'

export const removePack = defineRoute(remove, ({ pack }, { db }) =>
  db.tx(async (tx): Promise<undefined> => {
    if (!(await deletePack(tx, pack.id))) throw new ApiError('pack_not_found')
  }),
)
