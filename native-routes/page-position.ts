import { invalid } from '#contracts/errors.ts'
import { Id, TimestampInput } from '#contracts/shared/primitives.ts'

/** The position of the last record of a page, in a list that is ordered by time. */
export interface Position {
  readonly at: string
  readonly id: string
}

const encodeCursor = ({ at, id }: Position) => btoa(`${at} ${id}`)

const decodeBase64 = (cursor: string) => {
  try {
    return atob(cursor)
  } catch {
    return ''
  }
}

/** Decodes the position after which the page begins; null if the cursor is malformed. */
export const decodePosition = (cursor: string): Position | null => {
  const [at, id] = decodeBase64(cursor).split(' ')
  const parsedAt = TimestampInput.safeParse(at)
  const parsedId = Id.safeParse(id)
  return parsedAt.success && parsedId.success ? { at: parsedAt.data, id: parsedId.data } : null
}

/** Parses the cursor of a list that is always paged; null for the first page. Throws `validation_error`. */
export const parseCursor = (cursor: string | undefined): Position | null => {
  if (cursor === undefined) return null
  const position = decodePosition(cursor)
  if (!position) throw invalid('cursor', 'is not a position of this list')
  return position
}

/** Creates a page from the records that were found: one more than the limit means that another page follows. */
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
