import { v7 as uuidv7 } from 'uuid'
import * as z from 'zod'
import type { Actor } from '../authenticate.ts'
import { type Area, created } from '../create-app.ts'
import { encodeCursor, type Position, pageQuery } from '../cursor.ts'
import { one, type Queryable } from '../database.ts'
import { day, line, pathId, readBody, readQuery } from '../input.ts'
import { Refusal } from '../refusal.ts'
import { actorOf } from '../sign-in.ts'
import { closePackGaps, lockPacksHolding } from './pack-order.ts'

type TrackRow = Position

const columns = (sql: Queryable) => sql`
  id, title, artist, isrc, iswc, release_date::text as release_date, duration_ms, current_version_id,
  processing_state, created_at, updated_at`

const compactIsrc = (isrc: string) => isrc.replace(/^ISRC/, '').replaceAll(/[ -]/g, '')
const compactIswc = (iswc: string) => iswc.replaceAll(/[ .-]/g, '')

const codeText = z.string('expected a string').trim().toUpperCase()
const isrc = codeText.refine((code) => /^[A-Z]{2}[A-Z0-9]{3}\d{7}$/.test(compactIsrc(code)), 'not an ISRC')
const iswc = codeText.refine((code) => /^T\d{10}$/.test(compactIswc(code)), 'not an ISWC')

const NewTrack = z.object({
  title: line(1, 300),
  artist: line(1, 300),
  isrc: isrc.nullish(),
  iswc: iswc.nullish(),
  releaseDate: day.nullish(),
})

export const tracks: Area = (app, { sql }) => {
  app.get('/v1/tracks', async (request) => {
    const { accountId } = actorOf(request)
    const { limit, cursor } = readQuery(request, pageQuery)
    const rows = await sql<TrackRow[]>`
      select ${columns(sql)} from tracks
      where owner_id = ${accountId}
        ${cursor ? sql`and (created_at, id) < (${cursor.createdAt}, ${cursor.id})` : sql``}
      order by created_at desc, id desc limit ${limit + 1}`
    const records = rows.slice(0, limit)
    const last = records.at(-1)
    return { records, nextCursor: last && rows.length > limit ? encodeCursor(last) : null }
  })

  app.post('/v1/tracks', async (request, reply) => {
    const { accountId } = actorOf(request)
    const track = readBody(request, NewTrack)
    const row = one(
      await sql<TrackRow[]>`
      insert into tracks ${sql({
        id: uuidv7(),
        ownerId: accountId,
        title: track.title,
        artist: track.artist,
        isrc: track.isrc ?? null,
        isrcCompact: track.isrc ? compactIsrc(track.isrc) : null,
        iswc: track.iswc ?? null,
        iswcCompact: track.iswc ? compactIswc(track.iswc) : null,
        releaseDate: track.releaseDate ?? null,
      })} returning ${columns(sql)}`,
    )
    return created(reply, `/v1/tracks/${row.id}`).send(row)
  })

  app.get('/v1/tracks/:trackId', async (request) => {
    const [row] = await sql<TrackRow[]>`
      select ${columns(sql)} from tracks
      where id = ${pathId(request, 'trackId')} and owner_id = ${actorOf(request).accountId}`
    if (!row) throw new Refusal('track_not_found')
    return row
  })

  app.delete('/v1/tracks/:trackId', async (request, reply) => {
    const actor = actorOf(request)
    await sql.begin(async (tx) => {
      const trackId = await requireTrack(tx, actor, pathId(request, 'trackId'))
      // The track is locked before the packs that hold it, as when one is added to a pack: no two can deadlock.
      await tx`select 1 from tracks where id = ${trackId} for update`
      const packIds = await lockPacksHolding(tx, trackId)
      await tx`delete from tracks where id = ${trackId}`
      await closePackGaps(tx, packIds)
    })
    return reply.code(204).send()
  })
}
