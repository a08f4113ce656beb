import { and, count, eq, exists, getTableColumns, or, sql } from 'drizzle-orm'
import type { EveryKeyOf, Queryable, Reader } from '../../client/connection.ts'
import {
  firstRow,
  nullOnUniqueViolation,
  preparedRead,
  preparedWrite,
  requireRow,
} from '../../client/drizzle.ts'
import { libraryNameKey } from '../../library-name-key.ts'
import { newId } from '../../new-id.ts'
import { libraries, libraryShares, libraryTracks } from '../../schema/libraries.ts'
import { newestFirst, type PageRange, rangeValues } from '../page-range.ts'
import { statementTimestamp } from '../statement-timestamp.ts'
import { type GrantedAccess, type Invitee, isAccepted, isInvitationOf, isLive } from './library-shares.ts'

const { nameKey: _, ...libraryColumns } = getTableColumns(libraries)

const isShareOfLibrary = eq(libraryShares.libraryId, libraries.id)

const columnsWithCounts = {
  ...libraryColumns,
  trackCount: sql<number>`(
    select count(*)::int from ${libraryTracks} where ${eq(libraryTracks.libraryId, libraries.id)})`,
  shareCount: sql<number>`(
    select count(*)::int from ${libraryShares} where ${and(isShareOfLibrary, isLive)})`,
}

const accountId = sql.placeholder('accountId')
const verifiedEmail = sql.placeholder('verifiedEmail')
const isOwner = eq(libraries.ownerId, accountId)
const isInvitation = isInvitationOf({ accountId, verifiedEmail })

const range = newestFirst(libraries.updatedAt, libraries.id)

const librariesOwnedBy = preparedRead((db) =>
  db
    .select(columnsWithCounts)
    .from(libraries)
    .where(and(isOwner, range.isInRange))
    .orderBy(...range.order)
    .limit(range.limit)
    .prepare('libraries_owned_by'),
)

export const listLibrariesOwnedBy = (db: Reader, ownerId: string, page: PageRange) =>
  librariesOwnedBy(db).execute({ accountId: ownerId, ...rangeValues(page) })

// Ties are broken by share, not by library, because an account can be invited to a library twice, by id and by email
// address.
const sharedRange = newestFirst(libraries.updatedAt, libraryShares.id)

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
        isInvitation,
        // The status below implies this condition, but the partial indexes on live shares need it.
        isLive,
        eq(libraryShares.inviteStatus, sql.placeholder('inviteStatus')),
        sharedRange.isInRange,
      ),
    )
    .orderBy(...sharedRange.order)
    .limit(sharedRange.limit)
    .prepare('libraries_shared_with'),
)

export const listLibrariesSharedWith = (
  db: Reader,
  invitee: Invitee,
  inviteStatus: 'accepted' | 'pending',
  page: PageRange,
) => librariesSharedWith(db).execute({ ...invitee, inviteStatus, ...rangeValues(page) })

export const countLibrariesOwnedBy = async (db: Reader, ownerId: string) => {
  const [owned] = await db.select({ count: count() }).from(libraries).where(eq(libraries.ownerId, ownerId))
  return owned?.count ?? 0
}

/** An account's access to a library. `invitee` has been invited but has not accepted. */
export type LibraryAccess = 'owner' | GrantedAccess | 'invitee'

// A unique index allows at most one accepted share per library and account.
const access = sql<LibraryAccess>`case when ${isOwner} then 'owner' else coalesce((
  select ${libraryShares.accessType} from ${libraryShares}
  where ${and(isShareOfLibrary, eq(libraryShares.targetUserId, accountId), isAccepted)}
), 'invitee') end`

const libraryForActor = preparedRead((db) =>
  db
    .select({ ...columnsWithCounts, access })
    .from(libraries)
    .where(
      and(
        eq(libraries.id, sql.placeholder('libraryId')),
        or(
          isOwner,
          exists(
            db
              .select({ id: libraryShares.id })
              .from(libraryShares)
              .where(and(isShareOfLibrary, isInvitation)),
          ),
        ),
      ),
    )
    .prepare('library_for_actor'),
)

export const findLibraryForActor = async (db: Reader, libraryId: string, actor: Invitee) =>
  firstRow(await libraryForActor(db).execute({ libraryId, ...actor }))

type NewLibrary = Pick<typeof libraries.$inferSelect, 'ownerId' | 'name'>

export const insertLibrary = async <L extends NewLibrary>(
  tx: Queryable,
  library: EveryKeyOf<NewLibrary, L>,
) =>
  firstRow(
    await tx
      .insert(libraries)
      .values({ id: newId(), description: null, ...library, nameKey: libraryNameKey(library.name) })
      .onConflictDoNothing({ target: [libraries.ownerId, libraries.nameKey] })
      .returning(),
  )

const lockedLibrary = preparedWrite((db) =>
  db
    .select({ id: libraries.id, ownerId: libraries.ownerId })
    .from(libraries)
    .where(eq(libraries.id, sql.placeholder('libraryId')))
    .for('no key update')
    .prepare('locked_library'),
)

export const lockLibrary = async (tx: Queryable, libraryId: string) =>
  firstRow(await lockedLibrary(tx).execute({ libraryId }))

type ColumnNotOfOwner = 'id' | 'ownerId' | 'nameKey' | 'createdAt' | 'updatedAt'
type LibraryColumns = Omit<typeof libraries.$inferSelect, ColumnNotOfOwner>
type LibraryChange = { readonly [C in keyof LibraryColumns]?: LibraryColumns[C] | undefined }

const selectNameKey = ({ name }: LibraryChange) =>
  name === undefined ? {} : { nameKey: libraryNameKey(name) }

const updateLockedLibrary = async (tx: Queryable, libraryId: string, change: LibraryChange) =>
  requireRow(
    await tx
      .update(libraries)
      .set({ ...change, ...selectNameKey(change), updatedAt: statementTimestamp })
      .where(eq(libraries.id, libraryId))
      .returning(),
  )

export const updateLibrary = <C extends LibraryChange>(
  tx: Queryable,
  libraryId: string,
  change: EveryKeyOf<LibraryChange, C>,
) => nullOnUniqueViolation('libraries_name_of_owner', updateLockedLibrary(tx, libraryId, change))

export const touchLibrary = (tx: Queryable, libraryId: string) => updateLockedLibrary(tx, libraryId, {})

export const deleteLibrary = async (tx: Queryable, libraryId: string) =>
  firstRow(await tx.delete(libraries).where(eq(libraries.id, libraryId)).returning({ id: libraries.id }))
