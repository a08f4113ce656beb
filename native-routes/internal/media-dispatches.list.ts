import { invalid } from '#contracts/errors.ts'
import { list } from '#contracts/internal.media-dispatches.ts'
import { Id, Timestamp } from '#contracts/shared/primitives.ts'
import { type DispatchPosition, listWaitingDispatches } from '#db/queries/media-dispatches.ts'
import { defineRoute } from '../define-route.ts'

const cursorOf = ({ createdAt, id }: DispatchPosition) => btoa(`${createdAt} ${id}`)

const decoded = (cursor: string) => {
  try {
    return atob(cursor)
  } catch {
    return ''
  }
}

const positionAt = (cursor: string): DispatchPosition => {
  const [createdAt, id] = decoded(cursor).split(' ')
  if (!Timestamp.safeParse(createdAt).success || !Id.safeParse(id).success || !createdAt || !id)
    throw invalid('cursor', 'is not a position of this list')
  return { createdAt, id }
}

export const listMediaDispatchesToDrain = defineRoute(list, async ({ query }, { db }) => {
  const after = query.cursor === undefined ? null : positionAt(query.cursor)
  const found = await listWaitingDispatches(db.read, after, query.limit + 1)
  const records = found.slice(0, query.limit)
  const last = records.at(-1)
  return { records, nextCursor: last && found.length > query.limit ? cursorOf(last) : null }
})
