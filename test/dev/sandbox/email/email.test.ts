import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEmailProvider } from '#dev/sandbox/email/start-email.ts'
import { startTestGateway } from '#test/support/gateway.ts'

const webhookSecret = `whsec_${Buffer.from('email-secret-of-the-sandbox').toString('base64')}`

describe('the sandbox e-mail provider', () => {
  let provider: Awaited<ReturnType<typeof startEmailProvider>>
  const gateway = startTestGateway({ environment: { EMAIL_WEBHOOK_SECRET: webhookSecret } })
  beforeAll(async () => {
    provider = await startEmailProvider({ webhookSecret, retryMs: 20 })
    provider.deliveries.setEndpoint(`${gateway.url}/v1/webhooks/email`)
  })
  afterAll(() => provider.close())

  const send = async (
    { url }: typeof provider,
    message: object,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const response = await fetch(`${url}/emails`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(message),
    })
    return { status: response.status, body: await response.json() }
  }
  const message = { to: 'ann@example.test', subject: 'Songs <for> you', text: 'Listen & enjoy' }
  const outbox = async ({ url }: typeof provider) => (await fetch(url)).text()

  it('shows sent messages in the outbox, with HTML escaped', async () => {
    const { body } = await send(provider, message)
    expect(body).toEqual({ id: expect.stringMatching(/^email_/) })
    const page = await outbox(provider)
    expect(page).toContain('Songs &lt;for&gt; you')
    expect(page).toContain(`/emails/${body.id}/bounced`)
  })

  it('returns 400 for an invalid recipient address', async () => {
    expect((await send(provider, { ...message, to: 'not-an-address' })).status).toBe(400)
  })

  it('sends a message with a repeated idempotency key only once, and rejects a different message with that key', async () => {
    const key = { 'idempotency-key': crypto.randomUUID() }
    const [first, again] = [await send(provider, message, key), await send(provider, message, key)]
    expect(again).toEqual(first)
    expect(provider.outbox.filter(({ id }) => id === first.body.id)).toHaveLength(1)
    const { status, body } = await send(provider, { ...message, subject: 'Another' }, key)
    expect([status, body.name]).toEqual([409, 'invalid_idempotent_request'])
  })

  it('sends the gateway a signed event when someone presses a button in the outbox', async () => {
    const { id } = (await send(provider, message)).body
    const { sql } = gateway.database
    await sql`insert into packs (id, owner_id, name) values ('pack_1', 'acct_1', 'EP')`
    await sql`
      insert into pack_invitations (id, pack_id, email, provider_email_id)
      values ('invitation_1', 'pack_1', ${message.to}, ${id})`
    const clicked = await fetch(`${provider.url}/emails/${id}/opened`, { method: 'POST', redirect: 'manual' })
    expect(clicked.status).toBe(303)
    await provider.deliveries.waitUntilIdle()
    const [invitation] = await sql`select status from pack_invitations where id = 'invitation_1'`
    expect(invitation?.status).toBe('opened')
    expect(provider.deliveries.history[0]).toMatchObject({ event: { type: 'email.opened' }, status: 200 })
  })
})
