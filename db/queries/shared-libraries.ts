import { and, eq, ne, sql } from 'drizzle-orm'
import type { Reader } from '../client/connection.ts'
import { preparedRead } from '../client/prepared.ts'
import { libraries, libraryShares } from '../schema/libraries.ts'
import { isShareOfLibrary, lastChangedFirst, libraryColumns } from './libraries.ts'
import { type GrantedAccess, type Invitee, isInvitationOf, isLive } from './library-shares.ts'

const accountId = sql.placeholder('accountId')
const verifiedEmail = sql.placeholder('verifiedEmail')

const librariesSharedWith = preparedRead((db) =>
  db
    .select({
      ...libraryColumns,
      shareId: libraryShares.id,
      // A check constraint ensures that the access of a live share is never `revoked`.
      accessType: sql<GrantedAccess>`${libraryShares.accessType}`,
    })
    .from(libraryShares)
    .innerJoin(libraries, isShareOfLibrary)
    .where(
      and(
        isInvitationOf({ accountId, verifiedEmail }),
        // Redundant with the status below, but required to use the partial indexes on live shares.
        isLive,
        eq(libraryShares.inviteStatus, sql.placeholder('inviteStatus')),
        ne(libraries.ownerId, accountId),
      ),
    )
    .orderBy(...lastChangedFirst, libraryShares.id)
    .prepare('libraries_shared_with'),
)

/**
 * The libraries that are shared with this account (`accepted`) or that it is invited to (`pending`), with the share.
 */
export const listLibrariesSharedWith = (db: Reader, invitee: Invitee, inviteStatus: 'accepted' | 'pending') =>
  librariesSharedWith(db).execute({ ...invitee, inviteStatus })
