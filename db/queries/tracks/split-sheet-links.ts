import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Reader } from '../../client/connection.ts'
import { firstRow, preparedRead } from '../../client/drizzle.ts'
import { splitSheetLinks } from '../../schema/share-links.ts'
import { splitSheets } from '../../schema/split-sheets.ts'
import { isActiveLink } from '../share-link-status.ts'

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
