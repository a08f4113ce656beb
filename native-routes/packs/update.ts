import { update } from '#contracts/packs.ts'
import { updatePack } from '#db/queries/packs/packs.ts'
import { defineRoute } from '../define-route.ts'
import { requireLockedPack } from './require-locked-pack.ts'

export const changePack = defineRoute(update, ({ pack, body }, { db }) =>
  db.tx(async (tx) => {
    await requireLockedPack(tx, pack)
    return updatePack(tx, pack.id, body)
  }),
)
