import { v7 as uuidv7 } from 'uuid'
import * as z from 'zod'
import { type RegisterRoutes, replyCreated } from '../create-app.ts'
import { type Queryable, requireRow } from '../database.ts'
import { email, pathId, readBody } from '../input.ts'
import { requireActor } from '../sign-in.ts'
import { requirePack, rethrowAsPackNotFound } from './packs.ts'

interface PackInvitationRow {
  readonly id: string
}

const columns = (sql: Queryable) => sql`id, pack_id, email, status, created_at`

const createMessage = (to: string, packName: string) => ({
  to,
  subject: `You are invited to ${packName}`,
  text: `A pack of songs has been shared with you: ${packName}.`,
})

const NewInvitation = z.object({ email })

export const packInvitations: RegisterRoutes = (app, { sql, mail }) => {
  app.get('/v1/packs/:packId/invitations', async (request) => {
    const pack = await requirePack(sql, requireActor(request), pathId(request, 'packId'))
    const records = await sql`
      select ${columns(sql)} from pack_invitations where pack_id = ${pack.id} order by created_at desc, id desc`
    return { records }
  })

  app.post('/v1/packs/:packId/invitations', async (request, reply) => {
    const pack = await requirePack(sql, requireActor(request), pathId(request, 'packId'))
    const invitation = readBody(request, NewInvitation)
    const row = requireRow(
      await sql<PackInvitationRow[]>`
        insert into pack_invitations
          ${sql({ id: uuidv7(), packId: pack.id, email: invitation.email, status: 'queued' })}
        returning ${columns(sql)}`.catch(rethrowAsPackNotFound),
    )
    const emailId = await mail({ id: row.id, ...createMessage(invitation.email, pack.name) })
    if (emailId !== null)
      await sql`update pack_invitations set provider_email_id = ${emailId} where id = ${row.id}`
    return replyCreated(reply, `/v1/packs/${pack.id}/invitations/${row.id}`).send(row)
  })
}
