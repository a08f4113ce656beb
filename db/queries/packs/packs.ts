import { and, asc, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import type { EveryKeyOf, Queryable, Reader } from '../../client/connection.ts'
import { firstRow, preparedRead, requireRow } from '../../client/drizzle.ts'
import { newId } from '../../new-id.ts'
import { accounts } from '../../schema/accounts.ts'
import { packs, packTracks } from '../../schema/packs.ts'
import { newestFirst, type PageRange, rangeValues } from '../page-range.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

export type OwnedPack = typeof packs.$inferSelect

export const findPackOwnedBy = async (db: Reader, packId: string, ownerId: string) =>
  firstRow(
    await db
      .select()
      .from(packs)
      .where(and(eq(packs.id, packId), eq(packs.ownerId, ownerId))),
  )

export const lockPackOwnedBy = async (tx: Queryable, packId: string, ownerId: string) =>
  firstRow(
    await tx
      .select({ id: packs.id })
      .from(packs)
      .where(and(eq(packs.id, packId), eq(packs.ownerId, ownerId)))
      .for('key share'),
  )

export const lockPackForDeletion = async (tx: Queryable, packId: string, ownerId: string) =>
  firstRow(
    await tx
      .select({ id: packs.id })
      .from(packs)
      .where(and(eq(packs.id, packId), eq(packs.ownerId, ownerId)))
      .for('update'),
  )

/** Also locks the order of its tracks. */
export const lockPack = async (tx: Queryable, packId: string) =>
  firstRow(await tx.select({ id: packs.id }).from(packs).where(eq(packs.id, packId)).for('no key update'))

/** All callers lock in the same order. */
export const lockPacksOfTrack = (tx: Queryable, trackId: string) =>
  tx
    .select({ id: packs.id })
    .from(packs)
    .where(
      inArray(
        packs.id,
        tx.select({ packId: packTracks.packId }).from(packTracks).where(eq(packTracks.trackId, trackId)),
      ),
    )
    .orderBy(asc(packs.id))
    .for('no key update')

const columnsWithCount = {
  ...getTableColumns(packs),
  trackCount: sql<number>`(
    select count(*)::int from ${packTracks} where ${eq(packTracks.packId, packs.id)})`,
}

const packWithCount = preparedRead((db) =>
  db
    .select(columnsWithCount)
    .from(packs)
    .where(eq(packs.id, sql.placeholder('packId')))
    .prepare('pack_with_count'),
)

export const findPackWithCount = async (db: Reader, packId: string) =>
  firstRow(await packWithCount(db).execute({ packId }))

const range = newestFirst(packs.createdAt, packs.id)

const packsOwnedBy = preparedRead((db) =>
  db
    .select(columnsWithCount)
    .from(packs)
    .where(and(eq(packs.ownerId, sql.placeholder('ownerId')), range.isInRange))
    .orderBy(...range.order)
    .limit(range.limit)
    .prepare('packs_owned_by'),
)

export const listPacksOwnedBy = (db: Reader, ownerId: string, page: PageRange) =>
  packsOwnedBy(db).execute({ ownerId, ...rangeValues(page) })

type ColumnNotOfOwner = 'id' | 'ownerId' | 'createdAt' | 'updatedAt'
type PackFields = Omit<OwnedPack, ColumnNotOfOwner>
type NewPack = PackFields & Pick<OwnedPack, 'ownerId'>

export const insertPack = async <P extends NewPack>(tx: Queryable, pack: EveryKeyOf<NewPack, P>) => {
  const inserted = requireRow(
    await tx
      .insert(packs)
      .values({ id: newId(), ...pack })
      .returning(),
  )
  return { ...inserted, trackCount: 0 }
}

type PackChange = { readonly [C in keyof PackFields]?: PackFields[C] | undefined }

export const updatePack = async <C extends PackChange>(
  tx: Queryable,
  packId: string,
  change: EveryKeyOf<PackChange, C>,
) =>
  requireRow(
    await tx
      .update(packs)
      .set({ ...change, updatedAt: statementTimestamp })
      .where(eq(packs.id, packId))
      .returning(columnsWithCount),
  )

export const touchPack = async (tx: Queryable, packId: string) => {
  await tx.update(packs).set({ updatedAt: statementTimestamp }).where(eq(packs.id, packId))
}

export const deletePack = async (tx: Queryable, packId: string) =>
  firstRow(await tx.delete(packs).where(eq(packs.id, packId)).returning({ id: packs.id }))

const packWithOwner = preparedRead((db) =>
  db
    .select({ ...getTableColumns(packs), ownerDisplayName: accounts.displayName })
    .from(packs)
    .leftJoin(accounts, eq(accounts.id, packs.ownerId))
    .where(eq(packs.id, sql.placeholder('packId')))
    .prepare('pack_with_owner'),
)

export const findPackWithOwner = async (db: Reader, packId: string) =>
  firstRow(await packWithOwner(db).execute({ packId }))
