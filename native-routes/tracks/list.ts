import { Id } from '#contracts/shared/primitives.ts'
import { list } from '#contracts/tracks.ts'
import { listTracksOwnedBy } from '#db/queries/tracks/tracks.ts'
import { defineRoute } from '../define-route.ts'
import { type CursorFormat, decodeBase64, listPage, positionByCreation } from '../paging.ts'

const shape = /^(\d{1,13}) (\S+)$/

// A client may get one page from native and the next from the core, or vice versa.
const coreFormat: CursorFormat = {
  encode: ({ at, id }) => Buffer.from(`${Date.parse(at)} ${id}`).toString('base64url'),
  decode(cursor) {
    const [, millis, id] = shape.exec(decodeBase64(cursor.replaceAll('-', '+').replaceAll('_', '/'))) ?? []
    const parsedId = Id.safeParse(id)
    if (millis === undefined || !parsedId.success) return null
    return { at: new Date(Number(millis)).toISOString(), id: parsedId.data }
  },
}

export const listTracks = defineRoute(list, ({ actor, query }, { db }) =>
  listPage(
    query,
    (range) => listTracksOwnedBy(db.read, actor.accountId, range),
    positionByCreation,
    coreFormat,
  ),
)
