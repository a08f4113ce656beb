import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { startTestGateway, type TestGateway } from '#test/support/gateway.ts'
import { type ForgedDelivery, type Forgery, inHeader, otherBodies, otherMoments } from './forgeries.ts'

const key = Buffer.from('email-secret-of-the-tests')
const secret = `whsec_${key.toString('base64')}`
const environment = { EMAIL_WEBHOOK_SECRET: secret }
const now = Math.floor(Date.now() / 1000)

const eventOf = (emailId: string, type = 'email.delivered', at = '2026-03-01T12:00:00Z') => ({
  type,
  created_at: at,
  data: { email_id: emailId, to: ['ann@example.test'], click: { ipAddress: '203.0.113.7' } },
})

const digest = (id: string, moment: number | string, body: string, signedWith: Buffer | string = key) =>
  createHmac('sha256', signedWith).update(`${id}.${moment}.${body}`).digest('base64')

interface EmailSigningOptions {
  readonly id?: string
  readonly moment?: number
}

const signed = (
  body: string,
  { id = `msg_${crypto.randomUUID()}`, moment = now }: EmailSigningOptions = {},
): ForgedDelivery => ({
  headers: {
    'webhook-id': id,
    'webhook-timestamp': String(moment),
    'webhook-signature': `v1,${digest(id, moment, body)}`,
  },
  body: Buffer.from(body),
})

const post = async ({ url }: TestGateway, { headers, body }: ForgedDelivery) => {
  const response = await fetch(`${url}/v1/webhooks/email`, { method: 'POST', headers, body })
  return { status: response.status, body: await response.json() }
}

const text = JSON.stringify(eventOf('evt_\ufffd'))
const bytes = Buffer.from(text)
const id = 'msg_1'
const good = digest(id, now, text)
const withHeaders = (changed: Record<string, string>, body = bytes): ForgedDelivery => ({
  headers: { ...signed(text, { id }).headers, ...changed },
  body,
})
const without = (name: string): ForgedDelivery => {
  const { [name]: _, ...headers } = signed(text, { id }).headers
  return { headers, body: bytes }
}

const signatures: readonly (readonly [name: string, signature: string])[] = [
  ['an empty signature', ''],
  ['a version alone', 'v1'],
  ['a version without its signature', 'v1,'],
  ['no version', good],
  ['another version', `v2,${good}`],
  ['a version in upper case', `V1,${good}`],
  ['a version of public keys', `v1a,${good}`],
  ['a signature that is cut short', `v1,${good.slice(0, -2)}`],
  ['a signature with a letter more', `v1,A${good}`],
  ['a signature in other case', `v1,${good.toLowerCase()}`],
  ['a signature in hexadecimal', `v1,${Buffer.from(good, 'base64').toString('hex')}`],
  ['a signature without its padding', `v1,${good.replace(/=+$/, '')}`],
  ['another separator', `v1=${good}`],
  ['something behind the signature', `v1,${good},more`],
  ['a comma between signatures', `v1,${good},v1,${good}`],
  ['the header twice', `v1,${good}, v1,${good}`],
  ['two spaces between signatures', `v1,${good}  v1,${good}`],
  ['several signatures, all wrong', `v1,${digest(id, now, '{}')} v1,${digest('x', now, text)}`],
  ['another secret', `v1,${digest(id, now, text, 'other')}`],
  ['the secret as it is written', `v1,${digest(id, now, text, secret)}`],
  ['the secret without its decoding', `v1,${digest(id, now, text, key.toString('base64'))}`],
  ['no secret', `v1,${digest(id, now, text, '')}`],
  ['another hash', `v1,${createHmac('sha512', key).update(`${id}.${now}.${text}`).digest('base64')}`],
  ['a hash without a key', `v1,${createHash('sha256').update(`${id}.${now}.${text}`).digest('base64')}`],
  ['a signature of the body alone', `v1,${createHmac('sha256', key).update(text).digest('base64')}`],
  ['full-width letters', inHeader(`ｖ1,${good}`)],
]

const forgeries: readonly Forgery[] = [
  ...['webhook-id', 'webhook-timestamp', 'webhook-signature'].flatMap((name): Forgery[] => [
    [`no ${name}`, without(name)],
    [`an empty ${name}`, withHeaders({ [name]: '' })],
  ]),
  ...signatures.map(([name, signature]): Forgery => [name, withHeaders({ 'webhook-signature': signature })]),
  ...otherMoments(now).map(
    ([name, moment]): Forgery => [
      `a time ${name}`,
      withHeaders({ 'webhook-timestamp': moment, 'webhook-signature': `v1,${digest(id, moment, text)}` }),
    ],
  ),
  ['a time of more than five minutes ago', signed(text, { moment: now - 330 })],
  ['a time more than five minutes ahead', signed(text, { moment: now + 330 })],
  ['another time', withHeaders({ 'webhook-timestamp': String(now - 1) })],
  ['another id', withHeaders({ 'webhook-id': 'msg_2' })],
  ['an id that is too long', signed(text, { id: 'm'.repeat(256) })],
  ['the id twice', withHeaders({ 'webhook-id': `${id}, ${id}` })],
  ...otherBodies(text).map(([name, body]): Forgery => [name, withHeaders({}, body)]),
]

describe('webhooks.email without a database', () => {
  const gateway = startTestGateway({ throughRelay: true, environment })
  const attempt = async (delivery: ForgedDelivery) => {
    gateway.relay.setUnavailable(true)
    const { status, body } = await post(gateway, delivery)
    return [status, body]
  }

  it.each(forgeries)('rejects %s', async (_, delivery) => {
    expect(await attempt(delivery)).toEqual([401, { error: 'email_signature_invalid' }])
  })

  it.each([
    ['of now', signed(text)],
    ['among others', withHeaders({ 'webhook-signature': `v1a,AAAA v1,BBBB v1,${good}` })],
    ['of nearly five minutes ago', signed(text, { moment: now - 280 })],
    ['of nearly five minutes ahead', signed(text, { moment: now + 290 })],
  ])('queries the database for a signature %s', async (_, delivery) => {
    expect(await attempt(delivery)).toEqual([503, { error: 'email_database_unavailable' }])
  })

  it.each([
    ['{"type"', 'invalid_json'],
    ['', 'invalid_json'],
    ['{}', 'validation_error'],
    ['[]', 'validation_error'],
  ])('rejects %j with a valid signature as %s', async (body, error) => {
    const [status, response] = await attempt(signed(body))
    expect([status, response.error]).toEqual([400, error])
  })
})

describe('webhooks.email without a secret', () => {
  const gateway = startTestGateway()

  it('returns 503', async () => {
    const { status, body } = await post(gateway, signed(text))
    expect([status, body]).toEqual([503, { error: 'email_webhook_not_configured' }])
  })
})

const ranked = [
  'sent',
  'delivery_delayed',
  'failed',
  'suppressed',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
]

const permutations = <T>(items: readonly T[]): T[][] =>
  items.length < 2
    ? [[...items]]
    : items.flatMap((item, at) =>
        permutations(items.filter((_, other) => other !== at)).map((rest) => [item, ...rest]),
      )

describe('webhooks.email', () => {
  const gateway = startTestGateway({ environment })

  const invitation = async () => {
    const { sql } = gateway.database
    const [packId, emailId, invitationId] = Array.from({ length: 3 }, () => crypto.randomUUID())
    await sql`insert into packs (id, owner_id, name) values (${packId!}, 'acct_1', 'EP')`
    await sql`
      insert into pack_invitations (id, pack_id, email, provider_email_id)
      values (${invitationId!}, ${packId!}, 'ann@example.test', ${emailId!})`
    return { emailId: emailId!, invitationId: invitationId! }
  }
  const statusOf = async (invitationId: string) =>
    (
      await gateway.database.sql`
    select status from pack_invitations where id = ${invitationId}`
    )[0]?.status
  const firstSeen = async (invitationId: string) => {
    const rows = await gateway.database.sql`
      select status, first_seen_at from pack_invitation_events where invitation_id = ${invitationId}`
    return Object.fromEntries(rows.map((row) => [row.status, row.first_seen_at.toISOString()]))
  }
  const send = (emailId: string, status: string, at?: string, signing: EmailSigningOptions = {}) =>
    post(gateway, signed(JSON.stringify(eventOf(emailId, `email.${status}`, at)), signing))

  it('updates the status of the invitation', async () => {
    const { emailId, invitationId } = await invitation()
    const { status, body } = await send(emailId, 'delivered')
    expect([status, body]).toEqual([
      200,
      { received: true, deliveryUpdated: true, type: 'email.delivered', status: 'delivered' },
    ])
    expect(await statusOf(invitationId)).toBe('delivered')
  })

  it('returns the reason if nothing changed', async () => {
    const { emailId } = await invitation()
    const type = 'email.opened'
    await send(emailId, 'opened', undefined, { id: 'msg_of_opened' })
    const again = await send(emailId, 'opened', undefined, { id: 'msg_of_opened' })
    const nothing = { received: true, deliveryUpdated: false }
    expect(again.body).toEqual({ ...nothing, type, status: 'opened', reason: 'duplicate' })
    const lower = await send(emailId, 'sent')
    expect(lower.body).toEqual({ ...nothing, type: 'email.sent', status: 'opened', reason: 'no_change' })
    const unknown = await send('unknown', 'opened')
    expect(unknown.body).toEqual({ ...nothing, type, reason: 'delivery_not_found' })
    for (const other of ['scheduled', 'constructor', '__proto__'])
      expect((await send(emailId, other)).body).toEqual({
        ...nothing,
        type: `email.${other}`,
        reason: 'ignored_event',
      })
  })

  it.each([
    { type: 'contact.created', created_at: '2026-03-01T12:00:00Z', data: { id: 'c1', audience_id: 'a1' } },
    { type: 'domain.updated', data: 'of another shape' },
    { type: 'email.scheduled' },
  ])('ignores $type, whatever it contains', async (event) => {
    const ignored = { received: true, deliveryUpdated: false, type: event.type, reason: 'ignored_event' }
    const response = await post(gateway, signed(JSON.stringify(event)))
    expect([response.status, response.body]).toEqual([200, ignored])
  })

  it('returns 400 for an event without an e-mail id', async () => {
    const event = { ...eventOf('e1'), data: { to: ['ann@example.test'] } }
    const { status, body } = await post(gateway, signed(JSON.stringify(event)))
    expect([status, body.error, body.issues[0].path]).toEqual([400, 'validation_error', 'data.email_id'])
  })

  it('processes a delivery that is repeated after the invitation is committed', async () => {
    const { emailId, invitationId } = await invitation()
    const { sql } = gateway.database
    await sql`update pack_invitations set provider_email_id = null where id = ${invitationId}`
    const delivery = { id: `msg_${crypto.randomUUID()}` }
    expect((await send(emailId, 'sent', undefined, delivery)).body.reason).toBe('delivery_not_found')
    await sql`update pack_invitations set provider_email_id = ${emailId} where id = ${invitationId}`
    expect((await send(emailId, 'sent', undefined, delivery)).body.deliveryUpdated).toBe(true)
  })

  it.each([
    ['an object', (reference: string) => ({ reference })],
    ['a list', (reference: string) => [{ name: 'reference', value: reference }]],
  ])('finds the invitation by its reference in %s of tags before the e-mail id is stored', async (_, tag) => {
    const { emailId, invitationId } = await invitation()
    await gateway.database
      .sql`update pack_invitations set provider_email_id = null where id = ${invitationId}`
    const event = eventOf(emailId, 'email.delivered')
    const tagged = { ...event, data: { ...event.data, tags: tag(invitationId) } }
    expect((await post(gateway, signed(JSON.stringify(tagged)))).body).toMatchObject({
      deliveryUpdated: true,
    })
    expect(await statusOf(invitationId)).toBe('delivered')
    expect((await send(emailId, 'opened')).body.deliveryUpdated).toBe(true)
  })

  it.each([null, 7, [], [{ name: 'reference' }], { reference: 'no id' }, { reference: 'unknown' }])(
    'finds no invitation by the tags %j, nor that of another e-mail',
    async (tags) => {
      const { invitationId } = await invitation()
      const event = eventOf(crypto.randomUUID(), 'email.delivered')
      for (const given of [tags, { reference: invitationId }]) {
        const tagged = { ...event, data: { ...event.data, tags: given } }
        const { status, body } = await post(gateway, signed(JSON.stringify(tagged)))
        expect([status, body.reason]).toEqual([200, 'delivery_not_found'])
      }
    },
  )

  it('stores the earliest time of each status', async () => {
    const { emailId, invitationId } = await invitation()
    await send(emailId, 'clicked', '2026-03-01T12:00:00Z')
    await send(emailId, 'opened', '2026-03-01T11:00:00Z')
    await send(emailId, 'opened', '2026-03-01T10:30:00Z')
    await send(emailId, 'opened', '2026-03-01T13:00:00Z')
    expect(await statusOf(invitationId)).toBe('clicked')
    expect(await firstSeen(invitationId)).toEqual({
      clicked: '2026-03-01T12:00:00.000Z',
      opened: '2026-03-01T10:30:00.000Z',
    })
  })

  it.each(ranked.map((status, rank) => [status, ranked.slice(0, rank)] as const))(
    'does not replace %s with a lower status',
    async (status, lower) => {
      const { emailId, invitationId } = await invitation()
      await send(emailId, status)
      for (const other of lower) expect((await send(emailId, other)).body.reason).toBe('no_change')
      expect(await statusOf(invitationId)).toBe(status)
    },
  )

  // Every order of any three statuses, and so of any two.
  const triples = ranked.flatMap((a, at) =>
    ranked.slice(at + 1).flatMap((b, next) => ranked.slice(at + next + 2).map((c) => [a, b, c])),
  )

  it('has the highest status in every order', async () => {
    expect(triples).toHaveLength(84)
    for (const triple of triples)
      await Promise.all(
        permutations(triple).map(async (order) => {
          const { emailId, invitationId } = await invitation()
          for (const status of order) await send(emailId, status)
          expect([order, await statusOf(invitationId)]).toEqual([order, triple[2]])
          expect(Object.keys(await firstSeen(invitationId)).sort()).toEqual([...triple].sort())
        }),
      )
  }, 60_000)

  it('has the highest status after concurrent deliveries', async () => {
    const { emailId, invitationId } = await invitation()
    await Promise.all(ranked.map((status) => send(emailId, status)))
    expect(await statusOf(invitationId)).toBe('complained')
    expect(Object.keys(await firstSeen(invitationId))).toHaveLength(ranked.length)
  })

  it('stores and logs no address', async () => {
    const { emailId } = await invitation()
    await send(emailId, 'clicked')
    const rows = await gateway.database.sql`select * from email_events`
    expect(JSON.stringify([rows, gateway.log.lines])).not.toMatch(/203\.0|ann@/)
  })
})
