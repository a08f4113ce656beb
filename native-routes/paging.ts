import { invalid } from '#contracts/errors.ts'
import { Id, TimestampInput } from '#contracts/shared/primitives.ts'
import type { OptionalPaging } from '#contracts/shared/query.ts'
import type { PageRange } from '#db/queries/page-range.ts'

interface Position {
  readonly at: string
  readonly id: string
}

export const decodeBase64 = (cursor: string) => {
  try {
    return atob(cursor)
  } catch {
    return ''
  }
}

export interface CursorFormat {
  encode(position: Position): string
  decode(cursor: string): Position | null
}

const ourFormat: CursorFormat = {
  encode: ({ at, id }) => btoa(`${at} ${id}`),
  decode(cursor) {
    const [at, id] = decodeBase64(cursor).split(' ')
    const parsedAt = TimestampInput.safeParse(at)
    const parsedId = Id.safeParse(id)
    return parsedAt.success && parsedId.success ? { at: parsedAt.data, id: parsedId.data } : null
  },
}

type FindRange<R> = (range: PageRange) => Promise<R[]>

/**
 * Returns one page. Throws `invalid_request` unless the cursor is valid. A cursor is only a position, so the caller must
 * restrict `findRange` to its scope.
 */
export const listPage = async <R>(
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  findRange: FindRange<R>,
  positionOf: (record: R) => Position,
  format = ourFormat,
) => {
  const after = cursor === undefined ? null : format.decode(cursor)
  if (cursor !== undefined && !after) throw invalid('cursor', 'is not a position in this list')
  const found = await findRange({ after, limit: limit + 1 })
  const records = found.slice(0, limit)
  const last = records.at(-1)
  return { records, nextCursor: last && found.length > limit ? format.encode(positionOf(last)) : null }
}

const defaultPageSize = 100
// Longer lists take several statements, so the driver never parses one long result.
const batchSize = 2000

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

/** Like `listPage`, but returns the whole list unless the query has a valid `limit` or `cursor`. */
export const listRecords = async <R>(
  { limit, cursor }: OptionalPaging,
  findRange: FindRange<R>,
  positionOf: (record: R) => Position,
): Promise<{ records: R[]; nextCursor?: string | null }> => {
  const isCursor = cursor !== undefined && ourFormat.decode(cursor) !== null
  if (limit === undefined && !isCursor) return { records: await findAll(findRange, positionOf) }
  const page = { limit: limit ?? defaultPageSize, cursor: isCursor ? cursor : undefined }
  return listPage(page, findRange, positionOf)
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
