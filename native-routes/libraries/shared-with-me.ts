import { sharedWithMe } from '#contracts/libraries.ts'
import { listLibrariesSharedWith } from '#db/queries/libraries/libraries.ts'
import { defineRoute } from '../define-route.ts'
import { listRecords } from '../paging.ts'
import { toInvitee } from './require-library.ts'

export const listLibrariesSharedWithMe = defineRoute(sharedWithMe, ({ actor, query }, { db }) =>
  listRecords(
    query,
    (range) => listLibrariesSharedWith(db.read, toInvitee(actor), query.inviteStatus, range),
    ({ updatedAt, shareId }) => ({ at: updatedAt, id: shareId }),
  ),
)
