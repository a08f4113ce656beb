import {
  and,
  count,
  desc,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  isNull,
  not,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import type { EveryKeyOf, Queryable, Reader } from '../../client/connection.ts'
import { firstRow, preparedRead, requireRow } from '../../client/drizzle.ts'
import { newId } from '../../new-id.ts'
import { mediaAssets } from '../../schema/media-assets.ts'
import { trackShareLinks } from '../../schema/share-links.ts'
import { tracks } from '../../schema/tracks.ts'
import { newestFirst, type PageRange, rangeValues } from '../page-range.ts'
import { isActiveLink, selectLinkStatus } from '../share-link-status.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

const { tokenHash: _, ...columns } = getTableColumns(trackShareLinks)
const columnsWithStatus = { ...columns, status: selectLinkStatus(trackShareLinks) }

const range = newestFirst(trackShareLinks.createdAt, trackShareLinks.id)

const shareLinksOfTrack = preparedRead((db) =>
  db
    .select(columnsWithStatus)
    .from(trackShareLinks)
    .where(and(eq(trackShareLinks.trackId, sql.placeholder('trackId')), range.isInRange))
    .orderBy(...range.order)
    .limit(range.limit)
    .prepare('share_links_of_track'),
)

export const listShareLinksOfTrack = (db: Reader, trackId: string, page: PageRange) =>
  shareLinksOfTrack(db).execute({ trackId, ...rangeValues(page) })

export const countActiveTrackShareLinksOfOwner = async (db: Reader, ownerId: string) => {
  const [links] = await db
    .select({ count: count() })
    .from(trackShareLinks)
    .innerJoin(tracks, eq(tracks.id, trackShareLinks.trackId))
    .where(and(eq(tracks.ownerId, ownerId), isActiveLink(trackShareLinks)))
  return links?.count ?? 0
}

export const countActiveShareLinksOfTrack = async (db: Reader, trackId: string) => {
  const [links] = await db
    .select({ count: count() })
    .from(trackShareLinks)
    .where(and(eq(trackShareLinks.trackId, trackId), isActiveLink(trackShareLinks)))
  return links?.count ?? 0
}

const deleteAllBut = async (tx: Queryable, kept: number, ended: SQL | undefined, endedAt: AnyPgColumn) => {
  const surplus = tx
    .select({ id: trackShareLinks.id })
    .from(trackShareLinks)
    .where(ended)
    .orderBy(desc(endedAt), desc(trackShareLinks.id))
    .offset(kept)
  await tx.delete(trackShareLinks).where(inArray(trackShareLinks.id, surplus))
}

/** Events and clicks of deleted links still count for the track. */
export const deleteLongestRevokedShareLinks = (tx: Queryable, trackId: string, kept: number) =>
  deleteAllBut(
    tx,
    kept,
    and(eq(trackShareLinks.trackId, trackId), isNotNull(trackShareLinks.revokedAt)),
    trackShareLinks.revokedAt,
  )

export const deleteLongestExpiredShareLinks = (tx: Queryable, trackId: string, kept: number) =>
  deleteAllBut(
    tx,
    kept,
    and(
      eq(trackShareLinks.trackId, trackId),
      isNull(trackShareLinks.revokedAt),
      not(isActiveLink(trackShareLinks)),
    ),
    trackShareLinks.expiresAt,
  )

interface StoredToken {
  readonly tokenHash: string
  readonly tokenPreview: string
}

interface NewShareLink extends StoredToken {
  readonly trackId: string
  readonly name?: string | undefined
  readonly expiresAt?: string | undefined
}

export const insertTrackShareLink = async <L extends NewShareLink>(
  tx: Queryable,
  link: EveryKeyOf<NewShareLink, L>,
) => {
  const given: NewShareLink = link
  return requireRow(
    await tx
      .insert(trackShareLinks)
      .values({
        id: newId(),
        createdAt: statementTimestamp,
        updatedAt: statementTimestamp,
        name: null,
        expiresAt: null,
        revokedAt: null,
        ...given,
      })
      .returning(columnsWithStatus),
  )
}

export const lockTrackShareLink = async (tx: Queryable, trackId: string, linkId: string) =>
  firstRow(
    await tx
      .select(columnsWithStatus)
      .from(trackShareLinks)
      .where(and(eq(trackShareLinks.id, linkId), eq(trackShareLinks.trackId, trackId)))
      .for('update'),
  )

export const replaceTrackShareLinkToken = async (tx: Queryable, linkId: string, token: StoredToken) =>
  requireRow(
    await tx
      .update(trackShareLinks)
      .set({ ...token, updatedAt: statementTimestamp })
      .where(eq(trackShareLinks.id, linkId))
      .returning(columnsWithStatus),
  )

export const revokeShareLinkOfTrack = async (tx: Queryable, linkId: string) => {
  await tx
    .update(trackShareLinks)
    .set({ revokedAt: statementTimestamp, updatedAt: statementTimestamp })
    .where(eq(trackShareLinks.id, linkId))
}

const trackSharedByToken = preparedRead((db) =>
  db
    .select({
      linkId: trackShareLinks.id,
      name: trackShareLinks.name,
      expiresAt: trackShareLinks.expiresAt,
      createdAt: trackShareLinks.createdAt,
      ownerId: tracks.ownerId,
      trackId: tracks.id,
      title: tracks.title,
      artist: tracks.artist,
      releaseDate: tracks.releaseDate,
      durationMs: tracks.durationMs,
      artwork: { storageKey: mediaAssets.storageKey, contentType: mediaAssets.contentType },
    })
    .from(trackShareLinks)
    .innerJoin(tracks, eq(tracks.id, trackShareLinks.trackId))
    .leftJoin(mediaAssets, and(eq(mediaAssets.trackId, tracks.id), mediaAssets.isPrimary))
    .where(and(eq(trackShareLinks.tokenHash, sql.placeholder('tokenHash')), isActiveLink(trackShareLinks)))
    .prepare('track_shared_by_token'),
)

export const findTrackSharedByToken = async (db: Reader, tokenHash: string) =>
  firstRow(await trackSharedByToken(db).execute({ tokenHash }))
