import { v7 as uuidv7 } from 'uuid'
import * as z from 'zod'
import { requireActor } from '../authenticate.ts'
import { CoreError } from '../core-error.ts'
import { type RegisterRoutes, replyCreated } from '../create-app.ts'
import { type Queryable, requireRow } from '../database.ts'
import { day, pathId, readBody, readQuery, singleLineText } from '../input.ts'
import { requireOwnedTrackId, requireTrack } from '../track-scope.ts'
import { closePackGaps, lockPacksOfTrack } from './pack-tracks.ts'

interface TrackRow {
  readonly id: string
  readonly createdAt: Date
}

const trackColumns = (sql: Queryable) => sql`
  id, title, artist, isrc, iswc, release_date::text as release_date, duration_ms, current_version_id,
  processing_state, created_at, updated_at`

const isIsrc = (code: string) => /^[A-Z]{2}[A-Z0-9]{3}\d{7}$/.test(code)

// A leading `ISRC` is a label unless the code is valid with it (country `IS`, registrant `RC...`).
const compactIsrc = (isrc: string) => {
  const compact = isrc.replaceAll(/[\s-]/g, '')
  return isIsrc(compact) ? compact : compact.replace(/^ISRC/, '')
}
const compactIswc = (iswc: string) => iswc.replaceAll(/[\s.-]/g, '')

const codeText = singleLineText(1, 64).toUpperCase()
const isrc = codeText.pipe(z.string().refine((code) => isIsrc(compactIsrc(code)), 'not an ISRC'))
const iswc = codeText.pipe(z.string().refine((code) => /^T\d{10}$/.test(compactIswc(code)), 'not an ISWC'))

const trackFields = {
  title: singleLineText(1, 300),
  artist: singleLineText(1, 300),
  isrc: isrc.nullish(),
  iswc: iswc.nullish(),
  releaseDate: day.nullish(),
}

const Changes = z.object(trackFields).partial()

/** Stores each code in a compact form too, because lookups search for that form. */
const toColumns = ({ isrc: isrcValue, iswc: iswcValue, ...fields }: z.output<typeof Changes>) => ({
  ...fields,
  ...(isrcValue !== undefined && { isrc: isrcValue, isrcCompact: isrcValue && compactIsrc(isrcValue) }),
  ...(iswcValue !== undefined && { iswc: iswcValue, iswcCompact: iswcValue && compactIswc(iswcValue) }),
})

/** The last row of a page. The database stores milliseconds, so a `Date` is exact. */
interface Position {
  readonly createdAt: Date
  readonly id: string
}

const position = /^(\d{1,13}) ([A-Za-z0-9_-]{1,128})$/

const encodeCursor = ({ createdAt, id }: Position) =>
  Buffer.from(`${createdAt.getTime()} ${id}`).toString('base64url')

const decodeCursor = (cursor: string): Position | null => {
  const [, millis, id] = position.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  return millis !== undefined && id !== undefined ? { createdAt: new Date(Number(millis)), id } : null
}

const pageSize = z
  .string('expected one value')
  .regex(/^[1-9]\d{0,2}$/, 'expected 1 to 200')
  .transform(Number)
  .refine((limit) => limit <= 200, 'expected 1 to 200')

const pageCursor = z.string('expected one value').transform((text, context) => {
  const decoded = decodeCursor(text)
  if (decoded) return decoded
  context.addIssue('not a cursor for this list')
  return z.NEVER
})

const pageQuery = z.object({ limit: pageSize.default(50), cursor: pageCursor.optional() })

const NewTrack = z.object(trackFields)

export const tracks: RegisterRoutes = (app, { sql }) => {
  app.get('/v1/tracks', async (request) => {
    const { accountId } = requireActor(request)
    const { limit, cursor } = readQuery(request, pageQuery)
    const rows = await sql<TrackRow[]>`
      select ${trackColumns(sql)} from tracks
      where owner_id = ${accountId}
        ${cursor ? sql`and (created_at, id) < (${cursor.createdAt}, ${cursor.id})` : sql``}
      order by created_at desc, id desc limit ${limit + 1}`
    const records = rows.slice(0, limit)
    const last = records.at(-1)
    return { records, nextCursor: last && rows.length > limit ? encodeCursor(last) : null }
  })

  app.post('/v1/tracks', async (request, reply) => {
    const { accountId } = requireActor(request)
    const track = readBody(request, NewTrack)
    const row = requireRow(
      await sql<TrackRow[]>`
      insert into tracks ${sql({ id: uuidv7(), ownerId: accountId, ...toColumns(track) })}
      returning ${trackColumns(sql)}`,
    )
    return replyCreated(reply, `/v1/tracks/${row.id}`).send(row)
  })

  app.get('/v1/tracks/:trackId', async (request) => {
    const [row] = await sql<TrackRow[]>`
      select ${trackColumns(sql)} from tracks
      where id = ${pathId(request, 'trackId')} and owner_id = ${requireActor(request).accountId}`
    if (!row) throw new CoreError('track_not_found')
    return row
  })

  app.delete('/v1/tracks/:trackId', async (request, reply) => {
    const actor = requireActor(request)
    await sql.begin(async (tx) => {
      const trackId = await requireTrack(tx, actor, pathId(request, 'trackId'))
      // Locks the track before its packs, in the same order as adding to a pack, to prevent deadlocks.
      await tx`select 1 from tracks where id = ${trackId} for update`
      const packIds = await lockPacksOfTrack(tx, trackId)
      await tx`delete from tracks where id = ${trackId}`
      await closePackGaps(tx, packIds)
    })
    return reply.code(204).send()
  })
}

const MetadataChange = Changes.refine(
  (change) => Object.values(change).some((value) => value !== undefined),
  'nothing to change',
)

export const trackMetadata: RegisterRoutes = (app, { sql }) => {
  app.patch('/v1/tracks/:trackId/metadata', async (request) => {
    const change = readBody(request, MetadataChange)
    const [track] = await sql<TrackRow[]>`
      update tracks set ${sql(toColumns(change))}, updated_at = now()
      where id = ${requireOwnedTrackId(request)} returning ${trackColumns(sql)}`
    if (!track) throw new CoreError('track_not_found')
    return track
  })
}
