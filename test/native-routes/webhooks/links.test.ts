import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestGateway } from '#test/support/gateway.ts'
import { type ForgedDelivery, type Forgery, inHeader, otherBodies } from './forgeries.ts'

const secret = 'links-secret-of-the-tests'
const environment = { LINKS_WEBHOOK_SECRET: secret }

const clicked = (externalId: string | null, event: object = {}, click: object = {}) => ({
  id: `evt_${crypto.randomUUID()}`,
  event: 'link.clicked',
  createdAt: '2026-03-01T13:00:00+01:00',
  data: {
    link: { id: 'link_1', externalId, url: 'https://app.test/share/tracks/secret-token', key: 'k' },
    click: {
      id: 'click_1',
      country: 'DE',
      region: 'BE',
      city: 'Berlin',
      continent: 'EU',
      device: 'Mobile',
      referer: 'https://user:word@news.test:8443/a?token=b',
      qr: true,
      ip: '203.0.113.7',
      ua: 'Browser/1',
      os: 'System',
      browser: 'Browser',
      url: 'https://app.test/share/tracks/secret-token',
      ...click,
    },
    customer: { email: 'ann@example.test', name: 'Ann' },
    metadata: { note: 'ann' },
  },
  ...event,
})

const sign = (body: string | Buffer, key = secret) => createHmac('sha256', key).update(body).digest('hex')

const post = async ({ url }: TestGateway, { headers, body }: ForgedDelivery) => {
  const response = await fetch(`${url}/v1/webhooks/links`, { method: 'POST', headers, body })
  return { status: response.status, body: await response.json() }
}

const send = (gateway: TestGateway, event: object) => {
  const body = Buffer.from(JSON.stringify(event))
  return post(gateway, { headers: { 'link-signature': sign(body) }, body })
}

const text = JSON.stringify({ ...clicked('track_link:x'), id: 'evt_\ufffd' })
const bytes = Buffer.from(text)
const good = sign(text)
const hmac = (algorithm: string) => createHmac(algorithm, secret).update(text)

const headers: readonly (readonly [name: string, header: string])[] = [
  ['an empty signature', ''],
  ['blanks', '   '],
  ['a signature that is cut short', good.slice(0, -1)],
  ['half of a signature', good.slice(0, 32)],
  ['a signature with a digit more', `${good}0`],
  ['a signature in upper case', good.toUpperCase()],
  ['a signature with a prefix', `sha256=${good}`],
  ['a scheme before it', `v1=${good}`],
  ['a signature in quotes', `"${good}"`],
  ['a space within the signature', `${good.slice(0, 32)} ${good.slice(32)}`],
  ['a signature in base64', hmac('sha256').digest('base64')],
  ['a signature in base64url', hmac('sha256').digest('base64url')],
  ['another hash', hmac('sha1').digest('hex')],
  ['another hash of this length', hmac('sha512').digest('hex').slice(0, 64)],
  ['a hash of 64 digits of another kind', hmac('sha3-256').digest('hex')],
  ['a hash without a key', createHash('sha256').update(text).digest('hex')],
  [
    'a hash of secret and body',
    createHash('sha256')
      .update(secret + text)
      .digest('hex'),
  ],
  ['another secret', sign(text, 'links-secret-of-another')],
  ['no secret', sign(text, '')],
  ['the secret with a line feed', sign(text, `${secret}\n`)],
  ['the secret in upper case', sign(text, secret.toUpperCase())],
  ['the secret in hexadecimal', sign(text, Buffer.from(secret).toString('hex'))],
  ['zeros', '0'.repeat(64)],
  ['something that is not hexadecimal', 'g'.repeat(64)],
  ['the signature of another body', sign('{}')],
  ['the signature of no body', sign('')],
  ['several signatures', `${good},${good}`],
  ['the header twice', `${good}, ${good}`],
  ['a wrong and a good one', `${sign('{}')} ${good}`],
  [
    'full-width digits',
    inHeader(good.replace(/\d/, (digit) => String.fromCodePoint(0xff10 + Number(digit)))),
  ],
  ['Arabic digits', inHeader(good.replace(/\d/, (digit) => String.fromCodePoint(0x660 + Number(digit))))],
]

const forgeries: readonly Forgery[] = [
  ['no header', { headers: {}, body: bytes }],
  ['the header under another name', { headers: { 'x-link-signature': good }, body: bytes }],
  ...headers.map(([name, header]): Forgery => [name, { headers: { 'link-signature': header }, body: bytes }]),
  ...otherBodies(text).map(([name, body]): Forgery => [name, { headers: { 'link-signature': good }, body }]),
]

describe('webhooks.links without a database', () => {
  const gateway = startTestGateway({ throughRelay: true, environment })
  const attempt = async (delivery: ForgedDelivery) => {
    gateway.relay.setUnavailable(true)
    const { status, body } = await post(gateway, delivery)
    return [status, body]
  }

  it.each(forgeries)('rejects %s', async (_, delivery) => {
    expect(await attempt(delivery)).toEqual([401, errorBody('link_signature_invalid')])
  })

  it('accepts a valid signature and returns 503', async () => {
    const delivery = { headers: { 'link-signature': good }, body: bytes }
    expect(await attempt(delivery)).toEqual([503, errorBody('links_database_unavailable')])
  })

  it('rejects a signed body that is invalid JSON or lacks a field', async () => {
    for (const [body, error] of [
      ['{"id"', 'invalid_json'],
      ['', 'invalid_json'],
      ['{}', 'validation_error'],
    ] as const) {
      const [status, response] = await attempt({
        headers: { 'link-signature': sign(body) },
        body: Buffer.from(body),
      })
      expect([status, response.error]).toEqual([400, error])
    }
  })
})

describe('webhooks.links without a secret', () => {
  const gateway = startTestGateway()

  it('rejects every delivery, signed or not, and says that the secret is not set', async () => {
    const message = 'No secret is set for this endpoint: the operator must set LINKS_WEBHOOK_SECRET.'
    for (const headers of [{ 'link-signature': sign(text, '') }, { 'link-signature': good }, {}]) {
      const response = await post(gateway, { headers, body: bytes })
      expect([response.status, response.body]).toEqual([
        401,
        errorBody('link_signature_invalid', { message }),
      ])
    }
  })
})

describe('webhooks.links', () => {
  const gateway = startTestGateway({ environment })

  const stored = async (id: string) =>
    (
      await gateway.database.sql`
    select * from link_events where provider_event_id = ${id}`
    )[0]

  const trackLink = async () => {
    const { accountId } = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, accountId)
    const id = crypto.randomUUID()
    await gateway.database.sql`
      insert into track_share_links (id, track_id, token_hash, token_preview)
      values (${id}, ${trackId}, ${createHash('sha256').update(id).digest('hex')}, 'abcd')`
    return { accountId, trackId, id }
  }

  it("stores a click for the link's owner, without data about the visitor", async () => {
    const link = await trackLink()
    const event = clicked(`track_link:${link.id}`)
    const response = await send(gateway, event)
    expect([response.status, response.body]).toEqual([
      200,
      { ok: true, status: 'stored', event: 'link.clicked' },
    ])
    const row = await stored(event.id)
    expect(row).toEqual({
      provider_event_id: event.id,
      event_type: 'link.clicked',
      occurred_at: new Date('2026-03-01T12:00:00Z'),
      owner_id: link.accountId,
      link_kind: 'track',
      link_id: link.id,
      track_id: link.trackId,
      pack_id: null,
      country: 'DE',
      region: 'BE',
      city: 'Berlin',
      continent: 'EU',
      device: 'Mobile',
      referer_domain: 'news.test',
      qr: true,
    })
  })

  it('stores a click on a pack link', async () => {
    const { accountId } = await gateway.signUp()
    const [packId, id] = [crypto.randomUUID(), crypto.randomUUID()]
    await gateway.database.sql`insert into packs (id, owner_id, name) values (${packId}, ${accountId}, 'EP')`
    await gateway.database.sql`insert into pack_links (id, pack_id, slug) values (${id}, ${packId}, ${id})`
    const event = clicked(null, { data: { externalId: `pack_link:${id}`, click: null } })
    expect((await send(gateway, event)).body.status).toBe('stored')
    expect(await stored(event.id)).toMatchObject({
      link_kind: 'pack',
      link_id: id,
      pack_id: packId,
      track_id: null,
      country: null,
      qr: false,
    })
  })

  it('stores an event only once if it is delivered several times concurrently', async () => {
    const event = clicked(`track_link:${(await trackLink()).id}`)
    const responses = await Promise.all([1, 2, 3, 4].map(() => send(gateway, event)))
    const outcomes = responses.map(({ body }) => body.status).sort()
    expect(outcomes).toEqual(['duplicate', 'duplicate', 'duplicate', 'stored'])
  })

  it.each(['lead.created', 'sale.created', 'link.created', 'link.updated', 'link.deleted'])(
    'stores %s',
    async (type) => {
      const event = clicked(`track_link:${(await trackLink()).id}`, { event: type })
      expect((await send(gateway, event)).body).toEqual({ ok: true, status: 'stored', event: type })
    },
  )

  it('ignores an unknown event type, whatever the event contains', async () => {
    const event = clicked(`track_link:${(await trackLink()).id}`, { event: 'partner.enrolled' })
    expect((await send(gateway, event)).body.status).toBe('ignored')
    expect(await stored(event.id)).toBeUndefined()
    const odd = { event: 'commission.created', data: { click: 'click_1', link: 'link_1' } }
    const response = await send(gateway, odd)
    expect([response.status, response.body]).toEqual([200, { ok: true, status: 'ignored', event: odd.event }])
  })

  it('returns 400 for an invalid event of a known type', async () => {
    const { status, body } = await send(gateway, clicked('track_link:x', { data: { click: 'click_1' } }))
    expect([status, body.error, body.issues[0].path]).toEqual([400, 'validation_error', 'data.click'])
  })

  it.each([
    null,
    '',
    'track_link',
    'track_link:',
    'track_link:unknown',
    'other:x',
    'track_link:a:b',
    'pack_link:/',
  ])('stores nothing for the link reference %j', async (externalId) => {
    const event = clicked(externalId)
    expect((await send(gateway, event)).body.status).toBe('unmapped')
    expect(await stored(event.id)).toBeUndefined()
  })

  it.each([
    ['news.test', 'news.test'],
    ['News.Test/path?q', 'news.test'],
    ['android-app://com.example.app/', 'com.example.app'],
    ['(direct)', null],
    ['https://203.0.113.7/x', null],
    ['203.0.113.7', null],
    ['https://[2001:db8::1]/', null],
    ['localhost', null],
    ['ann@example.test', 'example.test'],
    ['javascript:alert(1)', null],
    ['', null],
  ])('stores the referer %j as the domain %j', async (referer, domain) => {
    const event = clicked(`track_link:${(await trackLink()).id}`, {}, { referer })
    await send(gateway, event)
    expect((await stored(event.id))?.referer_domain).toBe(domain)
  })
})
