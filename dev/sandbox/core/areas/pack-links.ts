import { randomBytes } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import * as z from 'zod'
import { hashAccessCode } from '../access-code.ts'
import { requireActor } from '../authenticate.ts'
import { CoreError } from '../core-error.ts'
import { type RegisterRoutes, replyCreated } from '../create-app.ts'
import type { Queryable } from '../database.ts'
import { exactLine, futureMoment, pathId, readBody, singleLineText } from '../input.ts'
import { linkStatus } from '../share-link.ts'
import { requirePack, rethrowAsPackNotFound } from './packs.ts'

const columns = (sql: Queryable) => sql`
  id, pack_id, slug, name, ${linkStatus(sql)} as status,
  access_code_hash is not null as requires_access_code, not disable_downloads as downloads_enabled,
  expires_at, created_at, '/share/packs/' || slug as share_path`

const slug = z.string('expected a string').regex(/^[a-z0-9-]{3,64}$/, 'expected 3 to 64 of a-z, 0-9 and -')

const NewLink = z.object({
  name: singleLineText(1, 120).optional(),
  slug: slug.optional(),
  accessCode: exactLine(4, 64).optional(),
  expiresAt: futureMoment.optional(),
  disableDownloads: z.boolean('expected true or false').default(false),
})

// 128 random bits, so a slug cannot be guessed.
const createSlug = () => randomBytes(16).toString('hex')

export const packLinks: RegisterRoutes = (app, { sql }) => {
  app.get('/v1/packs/:packId/links', async (request) => {
    const pack = await requirePack(sql, requireActor(request), pathId(request, 'packId'))
    const records = await sql`
      select ${columns(sql)} from pack_links where pack_id = ${pack.id} order by created_at desc, id desc`
    return { records }
  })

  app.post('/v1/packs/:packId/links', async (request, reply) => {
    const pack = await requirePack(sql, requireActor(request), pathId(request, 'packId'))
    const link = readBody(request, NewLink)
    const accessCodeHash = link.accessCode === undefined ? null : await hashAccessCode(link.accessCode)
    const [row] = await sql<{ id: string }[]>`
      insert into pack_links ${sql({
        id: uuidv7(),
        packId: pack.id,
        slug: link.slug ?? createSlug(),
        name: link.name ?? null,
        accessCodeHash,
        disableDownloads: link.disableDownloads,
        expiresAt: link.expiresAt ?? null,
      })} on conflict (slug) do nothing returning ${columns(sql)}`.catch(rethrowAsPackNotFound)
    if (!row) throw new CoreError('slug_conflict')
    return replyCreated(reply, `/v1/packs/${pack.id}/links/${row.id}`).send(row)
  })

  app.delete('/v1/packs/:packId/links/:linkId', async (request, reply) => {
    const pack = await requirePack(sql, requireActor(request), pathId(request, 'packId'))
    const revoked = await sql`
      update pack_links set revoked_at = coalesce(revoked_at, now()),
        updated_at = case when revoked_at is null then now() else updated_at end
      where id = ${pathId(request, 'linkId')} and pack_id = ${pack.id}`
    if (revoked.count === 0) throw new CoreError('pack_link_not_found')
    return reply.code(204).send()
  })
}
