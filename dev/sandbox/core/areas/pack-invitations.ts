import { v7 as uuidv7 } from 'uuid'
import * as z from 'zod'
import { requireActor } from '../authenticate.ts'
import { type RegisterRoutes, replyCreated } from '../create-app.ts'
import { type Queryable, requireRow } from '../database.ts'
import { email, pathId, readBody } from '../input.ts'
import type { CoreSettings } from '../settings.ts'
import { isActiveLink } from '../share-link.ts'
import { requirePack, rethrowAsPackNotFound } from './packs.ts'

interface Message {
  /** The idempotency key. The provider sends messages with the same id only once. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

const timeoutMs = 3000
const Accepted = z.object({ id: z.string() })

/** Returns the e-mail provider's id for the message; null if there is no provider, or if sending failed. */
const sendMessage = async (
  { EMAIL_API_BASE: apiBase, EMAIL_API_KEY: apiKey, EMAIL_FROM: from }: CoreSettings,
  { id, ...message }: Message,
) => {
  if (apiBase === undefined) return null
  try {
    const response = await fetch(`${apiBase}/emails`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': id,
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ from, ...message }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return Accepted.parse(await response.json()).id
  } catch {
    return null
  }
}

const columns = (sql: Queryable) => sql`id, pack_id, email, status, created_at`

interface PackLinkRow {
  readonly slug: string
  readonly hasCode: boolean
}

const formatLink = (appOrigin: string, invitationId: string, link: PackLinkRow | undefined) => {
  if (link === undefined) return `\n\nSee your invitation: ${appOrigin}/share/invitations/${invitationId}`
  const listen = `\n\nListen to it: ${appOrigin}/share/packs/${link.slug}`
  return link.hasCode ? `${listen}\nThe page asks for an access code, which its owner can tell you.` : listen
}

const createMessage = (to: string, packName: string, link: string) => ({
  to,
  subject: `You are invited to ${packName}`,
  text: `A pack of songs has been shared with you: ${packName}.${link}`,
})

const NewInvitation = z.object({ email })

export const packInvitations: RegisterRoutes = (app, { sql, settings }) => {
  const findLink = async (packId: string) => {
    const [link] = await sql<PackLinkRow[]>`
      select slug, access_code_hash is not null as has_code from pack_links
      where pack_id = ${packId} and ${isActiveLink(sql)}
      order by has_code, created_at desc, id desc limit 1`
    return link
  }

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
      await sql<{ id: string }[]>`
        insert into pack_invitations
          ${sql({ id: uuidv7(), packId: pack.id, email: invitation.email, status: 'queued' })}
        returning ${columns(sql)}`.catch(rethrowAsPackNotFound),
    )
    const { APP_ORIGIN: appOrigin } = settings
    const link = appOrigin === undefined ? '' : formatLink(appOrigin, row.id, await findLink(pack.id))
    const emailId = await sendMessage(settings, {
      id: row.id,
      ...createMessage(invitation.email, pack.name, link),
    })
    if (emailId !== null)
      await sql`update pack_invitations set provider_email_id = ${emailId} where id = ${row.id}`
    return replyCreated(reply, `/v1/packs/${pack.id}/invitations/${row.id}`).send(row)
  })
}
