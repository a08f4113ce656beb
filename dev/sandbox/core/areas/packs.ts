import { v7 as uuidv7 } from 'uuid'
import * as z from 'zod'
import { type Actor, requireActor } from '../authenticate.ts'
import { CoreError } from '../core-error.ts'
import { type RegisterRoutes, replyCreated } from '../create-app.ts'
import { type Queryable, requireRow, rethrowViolation } from '../database.ts'
import { multilineText, pathId, readBody, singleLineText } from '../input.ts'

interface PackRow {
  readonly id: string
  readonly name: string
}

const columns = (sql: Queryable) => sql`
  id, name, description, (select count(*)::int from pack_tracks where pack_id = packs.id) as track_count,
  created_at, updated_at`

const description = multilineText(2000).nullish()

const NewPack = z.object({ name: singleLineText(1, 120), description })

const PackChange = z
  .object({ name: singleLineText(1, 120).optional(), description })
  .refine((change) => change.name !== undefined || change.description !== undefined, 'nothing to change')

export const requirePack = async (sql: Queryable, { accountId }: Actor, packId: string | null) => {
  const [pack] = await sql<PackRow[]>`
    select ${columns(sql)} from packs where id = ${packId} and owner_id = ${accountId}`
  if (!pack) throw new CoreError('pack_not_found')
  return pack
}

/** The violation means that the pack has since been deleted. */
export const rethrowAsPackNotFound = rethrowViolation('foreign key', 'pack_not_found')

export const packs: RegisterRoutes = (app, { sql }) => {
  app.get('/v1/packs', async (request) => ({
    records: await sql`
      select ${columns(sql)} from packs where owner_id = ${requireActor(request).accountId}
      order by created_at desc, id desc`,
  }))

  app.post('/v1/packs', async (request, reply) => {
    const { accountId } = requireActor(request)
    const pack = readBody(request, NewPack)
    const row = requireRow(
      await sql<PackRow[]>`
      insert into packs ${sql({
        id: uuidv7(),
        ownerId: accountId,
        name: pack.name,
        description: pack.description ?? null,
      })} returning ${columns(sql)}`,
    )
    return replyCreated(reply, `/v1/packs/${row.id}`).send(row)
  })

  app.get('/v1/packs/:packId', (request) =>
    requirePack(sql, requireActor(request), pathId(request, 'packId')),
  )

  app.patch('/v1/packs/:packId', async (request) => {
    const actor = requireActor(request)
    const { id } = await requirePack(sql, actor, pathId(request, 'packId'))
    const change = readBody(request, PackChange)
    const [row] = await sql<PackRow[]>`
      update packs set
        ${change.name === undefined ? sql`` : sql`name = ${change.name},`}
        ${change.description === undefined ? sql`` : sql`description = ${change.description},`}
        updated_at = now()
      where id = ${id} returning ${columns(sql)}`
    if (!row) throw new CoreError('pack_not_found')
    return row
  })

  app.delete('/v1/packs/:packId', async (request, reply) => {
    const { accountId } = requireActor(request)
    const removed = await sql`
      delete from packs where id = ${pathId(request, 'packId')} and owner_id = ${accountId}`
    if (removed.count === 0) throw new CoreError('pack_not_found')
    return reply.code(204).send()
  })
}
