import { and, eq, ne, sql } from 'drizzle-orm'
import type { Reader } from '../../client/connection.ts'
import { preparedRead } from '../../client/drizzle.ts'
import { libraries, libraryShares } from '../../schema/libraries.ts'
import { newestFirst, type PageRange, rangeValues } from '../page-range.ts'
import { isShareOfLibrary, libraryColumns } from './libraries.ts'
import { type GrantedAccess, type Invitee, isInvitationOf, isLive } from './library-shares.ts'

const accountId = sql.placeholder('accountId')
const verifiedEmail = sql.placeholder('verifiedEmail')

// Ties are broken by share, not by library, because an account can be invited to a library twice, by id and by email
// address.
const range = newestFirst(libraries.updatedAt, libraryShares.id)

const librariesSharedWith = preparedRead((db) =>
  db
    .select({
      ...libraryColumns,
      shareId: libraryShares.id,
      // A check constraint ensures that a live share's access is never `revoked`.
      accessType: sql<GrantedAccess>`${libraryShares.accessType}`,
    })
    .from(libraryShares)
    .innerJoin(libraries, isShareOfLibrary)
    .where(
      and(
        isInvitationOf({ accountId, verifiedEmail }),
        // The status below implies this condition, but the partial indexes on live shares need it.
        isLive,
        eq(libraryShares.inviteStatus, sql.placeholder('inviteStatus')),
        ne(libraries.ownerId, accountId),
        range.isInRange,
      ),
    )
    .orderBy(...range.order)
    .limit(range.limit)
    .prepare('libraries_shared_with'),
)

export const listLibrariesSharedWith = (
  db: Reader,
  invitee: Invitee,
  inviteStatus: 'accepted' | 'pending',
  page: PageRange,
) => librariesSharedWith(db).execute({ ...invitee, inviteStatus, ...rangeValues(page) })
