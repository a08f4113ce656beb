import { invalid } from '#contracts/errors.ts'
import { Id } from '#contracts/shared/primitives.ts'
import { list } from '#contracts/tracks.ts'
import { listTracksOwnedBy } from '#db/queries/tracks/tracks.ts'
import { defineRoute } from '../define-route.ts'
import { createPage, decodeBase64, type Position, positionByCreation } from '../paging.ts'

// The core's format, because a client may get one page from native and the next from the core, or vice versa.
const format = /^(\d{1,13}) (\S+)$/

const encodeTrackCursor = ({ at, id }: Position) =>
  Buffer.from(`${Date.parse(at)} ${id}`).toString('base64url')

const parseTrackCursor = (cursor: string | undefined): Position | null => {
  if (cursor === undefined) return null
  const [, millis, id] = format.exec(decodeBase64(cursor.replaceAll('-', '+').replaceAll('_', '/'))) ?? []
  const parsedId = Id.safeParse(id)
  if (millis === undefined || !parsedId.success) throw invalid('cursor', 'is not a position in this list')
  return { at: new Date(Number(millis)).toISOString(), id: parsedId.data }
}

export const listTracks = defineRoute(list, async ({ actor, query: { limit, cursor } }, { db }) => {
  const range = { after: parseTrackCursor(cursor), limit: limit + 1 }
  const found = await listTracksOwnedBy(db.read, actor.accountId, range)
  return createPage(found, limit, positionByCreation, encodeTrackCursor)
})
