import { and, eq, sql } from 'drizzle-orm'
import type { Reader } from '../../client/connection.ts'
import { preparedRead } from '../../client/drizzle.ts'
import { splitSheets } from '../../schema/split-sheets.ts'
import { tracks } from '../../schema/tracks.ts'
import { newestFirst, type PageRange, rangeValues } from '../page-range.ts'
import type { SplitSheetRow } from '../tracks/split-sheets.ts'

// Enough for about 60 shares.
const maxListedBytes = 4096

const range = newestFirst(tracks.createdAt, tracks.id)
const { master, writers, publishers } = splitSheets

// Checks the stored size first, which is known without reading the lists. Decompressing long lists just to measure them
// would take too long.
const isShort = sql`case
  when pg_column_size(${master}) + pg_column_size(${writers}) + pg_column_size(${publishers}) > ${maxListedBytes} then false
  else octet_length(${master}::text) + octet_length(${writers}::text) + octet_length(${publishers}::text)
    <= ${maxListedBytes} end`

type SheetShares = Pick<SplitSheetRow, 'master' | 'writers' | 'publishers'>

const splitSheetsOfOwner = preparedRead((db) =>
  db
    .select({
      id: tracks.id,
      title: tracks.title,
      createdAt: tracks.createdAt,
      shares: sql<SheetShares | null>`case when ${isShort} then json_build_object(
        'master', ${master}, 'writers', ${writers}, 'publishers', ${publishers}) end`,
    })
    .from(tracks)
    .innerJoin(splitSheets, eq(splitSheets.trackId, tracks.id))
    .where(and(eq(tracks.ownerId, sql.placeholder('ownerId')), range.isInRange))
    .orderBy(...range.order)
    .limit(range.limit)
    .prepare('split_sheets_of_owner'),
)

/** If a sheet is long, `shares` is null and the sheet must be read separately, because it may be a megabyte. */
export const listSplitSheetsOfOwner = (db: Reader, ownerId: string, page: PageRange) =>
  splitSheetsOfOwner(db).execute({ ownerId, ...rangeValues(page) })
