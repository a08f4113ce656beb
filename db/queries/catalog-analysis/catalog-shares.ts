import { and, desc, eq, sql } from 'drizzle-orm'
import type { Reader } from '../../client/connection.ts'
import { preparedRead } from '../../client/drizzle.ts'
import { libraries, libraryShares } from '../../schema/libraries.ts'
import { packInvitations, packLinks, packs } from '../../schema/packs.ts'
import { isLive } from '../libraries/library-shares.ts'
import { isOpenLink } from './catalog-links.ts'

const ownerId = sql.placeholder('ownerId')
const limit = sql.placeholder('limit')

const liveLibraryShares = preparedRead((db) =>
  db
    .select({
      id: libraryShares.id,
      targetId: libraries.id,
      targetTitle: libraries.name,
      targetUserId: libraryShares.targetUserId,
      email: libraryShares.email,
      accessType: libraryShares.accessType,
      inviteStatus: libraryShares.inviteStatus,
      createdAt: libraryShares.createdAt,
    })
    .from(libraries)
    .innerJoin(libraryShares, eq(libraryShares.libraryId, libraries.id))
    .where(and(eq(libraries.ownerId, ownerId), isLive))
    .orderBy(desc(libraryShares.createdAt), desc(libraryShares.id))
    .limit(limit)
    .prepare('live_library_shares'),
)

export const listLiveLibraryShares = (db: Reader, ownerId: string, limit: number) =>
  liveLibraryShares(db).execute({ ownerId, limit })

const invitationsToOpenPacks = preparedRead((db) =>
  db
    .select({
      id: packInvitations.id,
      targetId: packs.id,
      targetTitle: packs.name,
      email: packInvitations.email,
      status: packInvitations.status,
      createdAt: packInvitations.createdAt,
    })
    .from(packs)
    .innerJoin(packInvitations, eq(packInvitations.packId, packs.id))
    .where(
      and(
        eq(packs.ownerId, ownerId),
        sql`exists (select from ${packLinks} where ${and(eq(packLinks.packId, packs.id), isOpenLink(packLinks))})`,
      ),
    )
    .orderBy(desc(packInvitations.createdAt), desc(packInvitations.id))
    .limit(limit)
    .prepare('invitations_to_open_packs'),
)

export const listInvitationsToOpenPacks = (db: Reader, ownerId: string, now: string, limit: number) =>
  invitationsToOpenPacks(db).execute({ ownerId, now, limit })
