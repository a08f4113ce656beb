import { and, desc, eq, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import type { Reader } from '../../client/connection.ts'
import { engagementMonths } from '../../schema/engagement.ts'
import { libraries, libraryShares } from '../../schema/libraries.ts'
import { packInvitations, packLinks, packs, packTracks } from '../../schema/packs.ts'
import { splitSheetLinks, trackShareLinks } from '../../schema/share-links.ts'
import { tracks, trackVersions } from '../../schema/tracks.ts'
import { isLive } from '../libraries/library-shares.ts'

interface LinkTable {
  readonly expiresAt: AnyPgColumn
  readonly revokedAt: AnyPgColumn
}

const isOpenLink = ({ expiresAt, revokedAt }: LinkTable, now: string) =>
  and(isNull(revokedAt), or(isNull(expiresAt), sql`${expiresAt} > ${now}::timestamptz`))

const sumOfLink = (
  kind: 'track' | 'pack',
  subjectId: AnyPgColumn,
  linkId: AnyPgColumn,
  counts: AnyPgColumn,
) =>
  sql<number>`coalesce((select sum(${counts}) from ${engagementMonths} where ${and(
    eq(engagementMonths.subjectKind, kind),
    eq(engagementMonths.subjectId, subjectId),
    eq(engagementMonths.linkId, linkId),
  )}), 0)::int`

// OFFSET 0 keeps the planner from reading the whole tables, which contain every account's rows.
const isCurrentVersionReady = (trackId: SQL) => sql<boolean>`exists (
  select from ${tracks} playable join ${trackVersions} on ${trackVersions.id} = playable.current_version_id
  where playable.id = ${trackId} and ${eq(trackVersions.status, 'ready')} offset 0)`

export const listOpenTrackLinks = (db: Reader, ownerId: string, now: string, limit: number) =>
  db
    .select({
      id: trackShareLinks.id,
      name: trackShareLinks.name,
      targetId: tracks.id,
      targetTitle: tracks.title,
      expiresAt: trackShareLinks.expiresAt,
      createdAt: trackShareLinks.createdAt,
      /** When the link's token was last replaced. */
      issuedAt: trackShareLinks.updatedAt,
      plays: sumOfLink('track', tracks.id, trackShareLinks.id, engagementMonths.plays),
      views: sumOfLink('track', tracks.id, trackShareLinks.id, engagementMonths.views),
      isPlayable: isCurrentVersionReady(sql`${tracks.id}`),
    })
    .from(tracks)
    .innerJoin(trackShareLinks, eq(trackShareLinks.trackId, tracks.id))
    .where(and(eq(tracks.ownerId, ownerId), isOpenLink(trackShareLinks, now)))
    .orderBy(desc(trackShareLinks.createdAt), desc(trackShareLinks.id))
    .limit(limit)

export const listOpenPackLinks = (db: Reader, ownerId: string, now: string, limit: number) =>
  db
    .select({
      id: packLinks.id,
      name: packLinks.name,
      targetId: packs.id,
      targetTitle: packs.name,
      expiresAt: packLinks.expiresAt,
      createdAt: packLinks.createdAt,
      issuedAt: packLinks.createdAt,
      plays: sumOfLink('pack', packs.id, packLinks.id, engagementMonths.plays),
      views: sumOfLink('pack', packs.id, packLinks.id, engagementMonths.views),
      isPlayable: sql<boolean>`exists (select from ${packTracks} where ${and(
        eq(packTracks.packId, packs.id),
        isCurrentVersionReady(sql`${packTracks.trackId}`),
      )})`,
    })
    .from(packs)
    .innerJoin(packLinks, eq(packLinks.packId, packs.id))
    .where(and(eq(packs.ownerId, ownerId), isOpenLink(packLinks, now)))
    .orderBy(desc(packLinks.createdAt), desc(packLinks.id))
    .limit(limit)

// Split sheets have no plays, and their views are not recorded.
export const listOpenSplitSheetLinks = (db: Reader, ownerId: string, now: string, limit: number) =>
  db
    .select({
      id: splitSheetLinks.id,
      name: splitSheetLinks.name,
      targetId: tracks.id,
      targetTitle: tracks.title,
      expiresAt: splitSheetLinks.expiresAt,
      createdAt: splitSheetLinks.createdAt,
    })
    .from(tracks)
    .innerJoin(splitSheetLinks, eq(splitSheetLinks.trackId, tracks.id))
    .where(and(eq(tracks.ownerId, ownerId), isOpenLink(splitSheetLinks, now)))
    .orderBy(desc(splitSheetLinks.createdAt), desc(splitSheetLinks.id))
    .limit(limit)

export const listLiveLibraryShares = (db: Reader, ownerId: string, limit: number) =>
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

export const listInvitationsToOpenPacks = (db: Reader, ownerId: string, now: string, limit: number) =>
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
        sql`exists (select from ${packLinks} where ${and(eq(packLinks.packId, packs.id), isOpenLink(packLinks, now))})`,
      ),
    )
    .orderBy(desc(packInvitations.createdAt), desc(packInvitations.id))
    .limit(limit)
