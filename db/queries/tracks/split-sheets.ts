import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import type { EveryKeyOf, Queryable, Reader } from '../../client/connection.ts'
import { firstRow, preparedRead, requireRow } from '../../client/drizzle.ts'
import { splitSheetLinks } from '../../schema/share-links.ts'
import { splitSheets } from '../../schema/split-sheets.ts'
import { isActiveLink } from '../share-link-status.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

export type SplitSheetRow = typeof splitSheets.$inferSelect

const splitSheetOfTrack = preparedRead((db) =>
  db
    .select()
    .from(splitSheets)
    .where(eq(splitSheets.trackId, sql.placeholder('trackId')))
    .prepare('split_sheet_of_track'),
)

export const findSplitSheet = async (db: Reader, trackId: string) =>
  firstRow(await splitSheetOfTrack(db).execute({ trackId }))

type OwnersSheet = Omit<SplitSheetRow, 'trackId' | 'validatedAt' | 'createdAt' | 'updatedAt'>

/** Callers must first check that the sheet balances. */
export const replaceSplitSheetOfTrack = async <S extends OwnersSheet>(
  tx: Queryable,
  trackId: string,
  sheet: EveryKeyOf<OwnersSheet, S>,
) => {
  const written = { ...sheet, validatedAt: statementTimestamp, updatedAt: statementTimestamp }
  return requireRow(
    await tx
      .insert(splitSheets)
      .values({ trackId, ...written, createdAt: statementTimestamp })
      .onConflictDoUpdate({ target: splitSheets.trackId, set: written })
      .returning(),
  )
}

const { id, trackId, name, tokenPreview, expiresAt, createdAt, updatedAt } = getTableColumns(splitSheetLinks)

const splitSheetSharedByToken = preparedRead((db) =>
  db
    .select({
      link: { id, trackId, name, tokenPreview, expiresAt, createdAt, updatedAt },
      splitSheet: getTableColumns(splitSheets),
    })
    .from(splitSheetLinks)
    .innerJoin(splitSheets, eq(splitSheets.trackId, splitSheetLinks.trackId))
    .where(and(eq(splitSheetLinks.tokenHash, sql.placeholder('tokenHash')), isActiveLink(splitSheetLinks)))
    .prepare('split_sheet_shared_by_token'),
)

export const findSplitSheetSharedByToken = async (db: Reader, tokenHash: string) =>
  firstRow(await splitSheetSharedByToken(db).execute({ tokenHash }))
