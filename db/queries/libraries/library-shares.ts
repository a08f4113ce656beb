import { and, count, eq, isNull, or, type Placeholder, sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import type { EveryKeyOf, Queryable, Reader } from '../../client/connection.ts'
import {
  firstRow,
  nullOnUniqueViolation,
  preparedRead,
  preparedWrite,
  requireRow,
} from '../../client/drizzle.ts'
import { newId } from '../../new-id.ts'
import { libraries, libraryShares } from '../../schema/libraries.ts'
import { newestFirst, type PageRange, rangeValues } from '../page-range.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

export type LibraryShareRow = typeof libraryShares.$inferSelect
export type GrantedAccess = Exclude<LibraryShareRow['accessType'], 'revoked'>

/** An email address counts only if it is verified. */
export interface Invitee {
  readonly accountId: string
  readonly verifiedEmail: string | null
}

/**
 * Selects pending and accepted shares. The statuses are literals, so that prepared plans can use the partial indexes.
 */
export const isLive = sql`${libraryShares.inviteStatus} in ('pending', 'accepted')`

export const isAccepted = sql`${libraryShares.inviteStatus} = 'accepted'`

/** Once the account has responded, a share belongs to the account and no longer to the email address. */
export const isInvitationOf = ({ accountId, verifiedEmail }: Record<keyof Invitee, Placeholder>) =>
  or(
    eq(libraryShares.targetUserId, accountId),
    and(isNull(libraryShares.targetUserId), eq(libraryShares.email, verifiedEmail)),
  )

const range = newestFirst(libraryShares.createdAt, libraryShares.id)

const sharesOfLibrary = preparedRead((db) =>
  db
    .select()
    .from(libraryShares)
    .where(and(eq(libraryShares.libraryId, sql.placeholder('libraryId')), range.isInRange))
    .orderBy(...range.order)
    .limit(range.limit)
    .prepare('shares_of_library'),
)

export const listSharesOfLibrary = (db: Reader, libraryId: string, page: PageRange) =>
  sharesOfLibrary(db).execute({ libraryId, ...rangeValues(page) })

export const countLiveLibrarySharesOfOwner = async (db: Reader, ownerId: string) => {
  const [shares] = await db
    .select({ count: count() })
    .from(libraryShares)
    .innerJoin(libraries, eq(libraries.id, libraryShares.libraryId))
    .where(and(eq(libraries.ownerId, ownerId), isLive))
  return shares?.count ?? 0
}

export interface Invitation {
  readonly targetUserId?: string | undefined
  readonly email?: string | undefined
  readonly accessType: GrantedAccess
}

export const insertLibraryShare = async <I extends Invitation>(
  tx: Queryable,
  libraryId: string,
  invitation: EveryKeyOf<Invitation, I>,
) => {
  const given: Invitation = invitation
  return firstRow(
    await tx
      .insert(libraryShares)
      .values({
        id: newId(),
        libraryId,
        targetUserId: null,
        email: null,
        ...given,
        respondedAt: null,
        revokedAt: null,
      })
      .onConflictDoNothing()
      .returning(),
  )
}

const isShareOf = (libraryId: string, shareId: string) =>
  and(eq(libraryShares.id, shareId), eq(libraryShares.libraryId, libraryId))

export const findLibraryShare = async (db: Reader, libraryId: string, shareId: string) =>
  firstRow(await db.select().from(libraryShares).where(isShareOf(libraryId, shareId)))

export const lockLibraryShare = async (tx: Queryable, libraryId: string, shareId: string) =>
  firstRow(await tx.select().from(libraryShares).where(isShareOf(libraryId, shareId)).for('update'))

const lockedAcceptedShare = preparedWrite((db) =>
  db
    .select({ accessType: sql<GrantedAccess>`${libraryShares.accessType}` })
    .from(libraryShares)
    .where(
      and(
        eq(libraryShares.libraryId, sql.placeholder('libraryId')),
        eq(libraryShares.targetUserId, sql.placeholder('accountId')),
        isAccepted,
      ),
    )
    .for('no key update')
    .prepare('locked_accepted_share'),
)

export const lockGrantedAccess = async (tx: Queryable, libraryId: string, accountId: string) => {
  const [share] = await lockedAcceptedShare(tx).execute({ libraryId, accountId })
  return share?.accessType ?? null
}

export interface LibraryShareChange {
  readonly accessType?: GrantedAccess | undefined
  readonly inviteStatus?: 'accepted' | 'declined' | undefined
}

const updateLockedShare = async (
  tx: Queryable,
  shareId: string,
  change: PgUpdateSetSource<typeof libraryShares>,
) =>
  requireRow(
    await tx
      .update(libraryShares)
      .set({ ...change, updatedAt: statementTimestamp })
      .where(eq(libraryShares.id, shareId))
      .returning(),
  )

export const updateAccessOfLibraryShare = (tx: Queryable, shareId: string, accessType: GrantedAccess) =>
  updateLockedShare(tx, shareId, { accessType })

export const updateResponseToLibraryShare = (
  tx: Queryable,
  shareId: string,
  { inviteStatus, accountId }: { readonly inviteStatus: 'accepted' | 'declined'; readonly accountId: string },
) =>
  nullOnUniqueViolation(
    'library_shares_live_account',
    updateLockedShare(tx, shareId, {
      inviteStatus,
      targetUserId: accountId,
      respondedAt: statementTimestamp,
    }),
  )

export const revokeLibraryShare = (tx: Queryable, shareId: string) =>
  updateLockedShare(tx, shareId, {
    accessType: 'revoked',
    inviteStatus: 'revoked',
    revokedAt: statementTimestamp,
  })
