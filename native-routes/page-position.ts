import { invalid } from '#contracts/errors.ts'
import { Id, TimestampInput } from '#contracts/shared/primitives.ts'

/** Where a page of a list by time ends. */
export interface Position {
  readonly at: string
  readonly id: string
}

const cursorOf = ({ at, id }: Position) => btoa(`${at} ${id}`)

const decoded = (cursor: string) => {
  try {
    return atob(cursor)
  } catch {
    return ''
  }
}

/** The position after which the next page begins; null at the beginning of the list. */
export const parseCursor = (cursor: string | undefined): Position | null => {
  if (cursor === undefined) return null
  const [at, id] = decoded(cursor).split(' ')
  const moment = TimestampInput.safeParse(at)
  const named = Id.safeParse(id)
  if (!moment.success || !named.success) throw invalid('cursor', 'is not a position of this list')
  return { at: moment.data, id: named.data }
}

/** One page of what was found, of which there is one more than the limit where another page follows. */
export const createPage = <R>(found: readonly R[], limit: number, positionOf: (record: R) => Position) => {
  const records = found.slice(0, limit)
  const last = records.at(-1)
  return { records, nextCursor: last && found.length > limit ? cursorOf(positionOf(last)) : null }
}
