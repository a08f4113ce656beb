import { and, desc, eq, exists, or, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../client/connection.ts'
import { preparedRead, preparedWrite } from '../client/prepared.ts'
import { requireSingleRow } from '../client/single-row.ts'
import { libraryNameKey } from '../library-name-key.ts'
import { newId } from '../new-id.ts'
import { libraries, libraryShares, libraryTracks } from '../schema/libraries.ts'
import { nullOnUniqueViolation } from '../unique-violation.ts'
import { changedNow } from './changed-now.ts'
import { type GrantedAccess, type Invitee, isAccepted, isInvitationOf, isLive } from './library-shares.ts'

export const libraryColumns = {
  id: libraries.id,
  ownerId: libraries.ownerId,
  name: libraries.name,
  description: libraries.description,
  createdAt: libraries.createdAt,
  updatedAt: libraries.updatedAt,
}

/** Joins a share to its library. */
export const ofThisLibrary = eq(libraryShares.libraryId, libraries.id)

const columnsWithCounts = {
  ...libraryColumns,
  trackCount: sql<number>`(
    select count(*)::int from ${libraryTracks} where ${eq(libraryTracks.libraryId, libraries.id)})`,
  shareCount: sql<number>`(
    select count(*)::int from ${libraryShares} where ${and(ofThisLibrary, isLive)})`,
}

const accountId = sql.placeholder('accountId')
const verifiedEmail = sql.placeholder('verifiedEmail')
const isOwner = eq(libraries.ownerId, accountId)
const isInvitation = isInvitationOf({ accountId, verifiedEmail })

export const lastChangedFirst = [desc(libraries.updatedAt), desc(libraries.id)]

const librariesOwnedBy = preparedRead((db) =>
  db
    .select(columnsWithCounts)
    .from(libraries)
    .where(isOwner)
    .orderBy(...lastChangedFirst)
    .prepare('libraries_owned_by'),
)

export const listLibrariesOwnedBy = (db: Reader, ownerId: string) =>
  librariesOwnedBy(db).execute({ accountId: ownerId })

/** What a library is to an account: its own, shared with it, or one it was invited to and is not (or no longer) in. */
export type LibraryAccess = 'owner' | GrantedAccess | 'invitee'

// At most one share of a library is accepted by one account, which its unique index sees to.
const access = sql<LibraryAccess>`case when ${isOwner} then 'owner' else coalesce((
  select ${libraryShares.accessType} from ${libraryShares}
  where ${and(ofThisLibrary, eq(libraryShares.targetUserId, accountId), isAccepted)}
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
            db.select({ id: libraryShares.id }).from(libraryShares).where(and(ofThisLibrary, isInvitation)),
          ),
        ),
      ),
    )
    .prepare('library_for_actor'),
)

/** A library with what it is to this account; null for an account that it is nothing to. */
export const findLibraryForActor = async (db: Reader, libraryId: string, actor: Invitee) => {
  const [library] = await libraryForActor(db).execute({ libraryId, ...actor })
  return library ?? null
}

/** Null when the owner has a library of that name already. */
export const insertLibrary = async (
  tx: Queryable,
  { ownerId, name }: { readonly ownerId: string; readonly name: string },
) => {
  const [library] = await tx
    .insert(libraries)
    .values({ id: newId(), ownerId, name, nameKey: libraryNameKey(name) })
    .onConflictDoNothing({ target: [libraries.ownerId, libraries.nameKey] })
    .returning()
  return library ?? null
}

const lockedLibrary = preparedWrite((db) =>
  db
    .select({ id: libraries.id, ownerId: libraries.ownerId })
    .from(libraries)
    .where(eq(libraries.id, sql.placeholder('libraryId')))
    .for('no key update')
    .prepare('locked_library'),
)

/** Keeps a library from being deleted or changed until the transaction ends; null when there is none. */
export const lockLibrary = async (tx: Queryable, libraryId: string) => {
  const [library] = await lockedLibrary(tx).execute({ libraryId })
  return library ?? null
}

interface LibraryChange {
  readonly name?: string | undefined
  readonly description?: string | null | undefined
}

const renaming = (name: string | undefined) =>
  name === undefined ? {} : { name, nameKey: libraryNameKey(name) }

const updateLockedLibrary = async (tx: Queryable, libraryId: string, { name, description }: LibraryChange) =>
  requireSingleRow(
    await tx
      .update(libraries)
      .set({ ...renaming(name), description, updatedAt: changedNow })
      .where(eq(libraries.id, libraryId))
      .returning(),
  )

/** Changes a locked library; null when its owner has another one of that name. */
export const updateLibrary = (tx: Queryable, libraryId: string, change: LibraryChange) =>
  nullOnUniqueViolation('libraries_name_of_owner', updateLockedLibrary(tx, libraryId, change))

/** Notes that the content of a locked library has changed. */
export const touchLibrary = (tx: Queryable, libraryId: string) => updateLockedLibrary(tx, libraryId, {})

/** Its tracks' entries and its shares go with it. Null when there is none. */
export const deleteLibrary = async (tx: Queryable, libraryId: string) => {
  const [library] = await tx
    .delete(libraries)
    .where(eq(libraries.id, libraryId))
    .returning({ id: libraries.id })
  return library ?? null
}
