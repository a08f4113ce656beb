import { and, eq, sql } from 'drizzle-orm'
import type { Reader } from '../client/connection.ts'
import { preparedRead } from '../client/prepared.ts'
import { splitSheets } from '../schema/split-sheets.ts'
import { tracks } from '../schema/tracks.ts'
import { newestFirst, type PageRange, rangeValues } from './page-range.ts'

const range = newestFirst(tracks.createdAt, tracks.id)

const splitSheetsOfOwner = preparedRead((db) =>
  db
    .select({
      id: tracks.id,
      title: tracks.title,
      createdAt: tracks.createdAt,
      master: splitSheets.master,
      writers: splitSheets.writers,
      publishers: splitSheets.publishers,
    })
    .from(tracks)
    .innerJoin(splitSheets, eq(splitSheets.trackId, tracks.id))
    .where(and(eq(tracks.ownerId, sql.placeholder('ownerId')), range.isInRange))
    .orderBy(...range.order)
    .limit(range.limit)
    .prepare('split_sheets_of_owner'),
)

/** The shares of the tracks of an account that have a split sheet, by the newest track first. */
export const listSplitSheetsOfOwner = (db: Reader, ownerId: string, page: PageRange) =>
  splitSheetsOfOwner(db).execute({ ownerId, ...rangeValues(page) })
