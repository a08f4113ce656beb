import { invalid } from '#contracts/errors.ts'
import { Id, TimestampInput } from '#contracts/shared/primitives.ts'
import type { OptionalPaging } from '#contracts/shared/query.ts'
import type { PageRange } from '#db/queries/page-range.ts'

export interface Position {
  readonly at: string
  readonly id: string
}

const encodeCursor = ({ at, id }: Position) => btoa(`${at} ${id}`)

export const decodeBase64 = (cursor: string) => {
  try {
    return atob(cursor)
  } catch {
    return ''
  }
}

const decodePosition = (cursor: string): Position | null => {
  const [at, id] = decodeBase64(cursor).split(' ')
  const parsedAt = TimestampInput.safeParse(at)
  const parsedId = Id.safeParse(id)
  return parsedAt.success && parsedId.success ? { at: parsedAt.data, id: parsedId.data } : null
}

/** Null for the first page. */
export const parseCursor = (cursor: string | undefined): Position | null => {
  if (cursor === undefined) return null
  const position = decodePosition(cursor)
  if (!position) throw invalid('cursor', 'is not a position in this list')
  return position
}

/** If `found` has more records than the limit, another page follows. */
export const createPage = <R>(
  found: readonly R[],
  limit: number,
  positionOf: (record: R) => Position,
  encode = encodeCursor,
) => {
  const records = found.slice(0, limit)
  const last = records.at(-1)
  return { records, nextCursor: last && found.length > limit ? encode(positionOf(last)) : null }
}

const defaultPageSize = 100
// Longer lists take several statements, so the driver never parses one long result.
const batchSize = 2000

type FindRange<R> = (range: PageRange) => Promise<R[]>

const findAll = async <R>(findRange: FindRange<R>, positionOf: (record: R) => Position) => {
  const records: R[] = []
  for (let after: Position | null = null; ; ) {
    const batch: R[] = await findRange({ after, limit: batchSize })
    records.push(...batch)
    const last = batch.at(-1)
    if (batch.length < batchSize || last === undefined) return records
    const next = positionOf(last)
    // Without this check, a query that ignores its range would repeat until the process runs out of memory.
    if (next.id === after?.id) throw new Error('two batches in a row end with the same record')
    after = next
  }
}

/**
 * Returns the whole list, or one page if the query has a valid `limit` or `cursor`. A cursor is only a position, so the
 * caller must restrict `findRange` to its scope.
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

/** `items` is the whole list, oldest first. */
export const selectRange = <R extends { readonly createdAt: string; readonly id: string }>(
  items: readonly R[],
  { after, limit }: PageRange,
): R[] => {
  const last = after ? items.findIndex(({ id }) => id === after.id) : -1
  // The record at the position may be gone by now.
  const following =
    after && last < 0 ? items.filter(({ createdAt }) => createdAt > after.at) : items.slice(last + 1)
  return following.slice(0, limit)
}
