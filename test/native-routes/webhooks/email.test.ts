import { describe, expect, it } from 'vitest'
import { sampleCases } from '#test/support/count-cases.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { type EmailSigningOptions, environment, eventOf, post, signed } from './email-deliveries.ts'

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

  it("updates the invitation's status", async () => {
    const { emailId, invitationId } = await invitation()
    const { status, body } = await send(emailId, 'delivered')
    expect([status, body]).toEqual([
      200,
      { received: true, deliveryUpdated: true, type: 'email.delivered', status: 'delivered' },
    ])
    expect(await statusOf(invitationId)).toBe('delivered')
  })

  it('returns the reason if nothing has changed', async () => {
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
  ])('ignores $type, whatever the event contains', async (event) => {
    const ignored = { received: true, deliveryUpdated: false, type: event.type, reason: 'ignored_event' }
    const response = await post(gateway, signed(JSON.stringify(event)))
    expect([response.status, response.body]).toEqual([200, ignored])
  })

  it('returns 400 for an event without an e-mail id', async () => {
    const event = { ...eventOf('e1'), data: { to: ['ann@example.test'] } }
    const { status, body } = await post(gateway, signed(JSON.stringify(event)))
    expect([status, body.error, body.issues[0].path]).toEqual([400, 'validation_error', 'data.email_id'])
  })

  it('processes a repeated delivery once the invitation has its e-mail id', async () => {
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
  ])(
    'finds the invitation by its reference in %s of tags if the e-mail id is not stored yet',
    async (_, tag) => {
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
    },
  )

  it('finds the invitation if the job worker stores the e-mail id at the same moment', async () => {
    const { emailId, invitationId } = await invitation()
    const { sql } = gateway.database
    await sql`update pack_invitations set provider_email_id = null where id = ${invitationId}`
    const event = eventOf(emailId, 'email.delivered')
    const tagged = { ...event, data: { ...event.data, tags: { reference: invitationId } } }
    const countWaiting = async () =>
      (
        await sql`
          select count(*)::int as count from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`
      )[0]?.count
    let response: ReturnType<typeof post> | undefined
    await sql.begin(async (worker) => {
      await worker`update pack_invitations set provider_email_id = ${emailId} where id = ${invitationId}`
      response = post(gateway, signed(JSON.stringify(tagged)))
      await expect.poll(countWaiting, { interval: 10 }).toBe(1)
    })
    expect((await response)?.body).toMatchObject({ deliveryUpdated: true, status: 'delivered' })
    expect(await statusOf(invitationId)).toBe('delivered')
  })

  it.each([null, 7, [], [{ name: 'reference' }], { reference: 'no id' }, { reference: 'unknown' }])(
    'finds no invitation by the tags %j, nor by the reference of an invitation with a different e-mail id',
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

  // Every set of three statuses. Testing all their orders also covers every order of two.
  const triples = ranked.flatMap((a, at) =>
    ranked.slice(at + 1).flatMap((b, next) => ranked.slice(at + next + 2).map((c) => [a, b, c])),
  )

  it('ends with the highest status in any order of delivery', async () => {
    expect(triples).toHaveLength(84)
    for (const triple of sampleCases(triples))
      await Promise.all(
        permutations(triple).map(async (order) => {
          const { emailId, invitationId } = await invitation()
          for (const status of order) await send(emailId, status)
          expect([order, await statusOf(invitationId)]).toEqual([order, triple[2]])
          expect(Object.keys(await firstSeen(invitationId)).sort()).toEqual([...triple].sort())
        }),
      )
  }, 60_000)

  it('ends with the highest status after concurrent deliveries', async () => {
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
