import { create } from '#contracts/packs.ts'
import { insertPack } from '#db/queries/packs/packs.ts'
import { defineRoute } from '../define-route.ts'

export const createPack = defineRoute(create, ({ actor, body }, { db }) =>
  db.tx((tx) => insertPack(tx, { ...body, ownerId: actor.accountId })),
)
