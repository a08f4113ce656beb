import { and, eq, ne, sql } from 'drizzle-orm'
import type { Reader } from '../../client/connection.ts'
import { preparedRead } from '../../client/drizzle.ts'
import { libraries, libraryShares } from '../../schema/libraries.ts'
import { newestFirst, type PageRange, rangeValues } from '../page-range.ts'
import { isShareOfLibrary, libraryColumns } from './libraries.ts'
import { type GrantedAccess, type Invitee, isInvitationOf, isLive } from './library-shares.ts'

const accountId = sql.placeholder('accountId')
const verifiedEmail = sql.placeholder('verifiedEmail')

// By the share: an account can be invited to one library twice, by its id and by its e-mail address.
const range = newestFirst(libraries.updatedAt, libraryShares.id)

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
        range.isInRange,
      ),
    )
    .orderBy(...range.order)
    .limit(range.limit)
    .prepare('libraries_shared_with'),
)

/**
 * The libraries that are shared with this account (`accepted`) or that it is invited to (`pending`), with the share, last
 * changed first.
 */
export const listLibrariesSharedWith = (
  db: Reader,
  invitee: Invitee,
  inviteStatus: 'accepted' | 'pending',
  page: PageRange,
) => librariesSharedWith(db).execute({ ...invitee, inviteStatus, ...rangeValues(page) })
