import { list } from '#contracts/packs.invitations.ts'
import { listInvitationsOfPack } from '#db/queries/packs/pack-invitations.ts'
import { defineRoute } from '../define-route.ts'
import { listRecords, positionByCreation } from '../paging.ts'

export const listPackInvitations = defineRoute(list, ({ pack, query }, { db }) =>
  listRecords(query, (range) => listInvitationsOfPack(db.read, pack.id, range), positionByCreation),
)
