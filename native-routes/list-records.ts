import type { OptionalPaging } from '#contracts/shared/query.ts'
import type { PageRange } from '#db/queries/page-range.ts'
import { createPage, decodePosition, type Position } from './page-position.ts'

const defaultPageSize = 100
// Longer lists are read in several statements, so that the driver parses no long result at once.
const batchSize = 2000

type FindRange<R> = (range: PageRange) => Promise<R[]>

const findAll = async <R>(findRange: FindRange<R>, positionOf: (record: R) => Position) => {
  const records: R[] = []
  for (let after: Position | null = null; ; ) {
    const batch: R[] = await findRange({ after, limit: batchSize })
    records.push(...batch)
    const last = batch.at(-1)
    if (batch.length < batchSize || last === undefined) return records
    after = positionOf(last)
  }
}

/**
 * Returns the whole list, or one page of it if the query has a valid `limit` or `cursor`. The caller restricts
 * `findRange` to the records of its scope: a cursor is only a position.
 */
export const listRecords = async <R>(
  { limit, cursor }: OptionalPaging,
  findRange: FindRange<R>,
  positionOf: (record: R) => Position,
): Promise<{ records: R[]; nextCursor?: string | null }> => {
  const after = cursor === undefined ? null : decodePosition(cursor)
  if (limit === undefined && after === null) return { records: await findAll(findRange, positionOf) }
  const pageSize = limit ?? defaultPageSize
  return createPage(await findRange({ after, limit: pageSize + 1 }), pageSize, positionOf)
}

/** The position of a record in a list that is ordered by creation time. */
export const positionByCreation = ({
  createdAt,
  id,
}: {
  readonly createdAt: string
  readonly id: string
}) => ({
  at: createdAt,
  id,
})

/** The range of an array that is read as a whole, oldest first. */
export const selectRange = <R extends { readonly createdAt: string; readonly id: string }>(
  items: readonly R[],
  { after, limit }: PageRange,
): R[] => {
  const last = after ? items.findIndex(({ id }) => id === after.id) : -1
  // The record at the position may have been deleted since.
  const following =
    after && last < 0 ? items.filter(({ createdAt }) => createdAt > after.at) : items.slice(last + 1)
  return following.slice(0, limit)
}
