import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { digest, environment, eventOf, key, post, readClock, secret, signed } from './email-deliveries.ts'
import { type ForgedDelivery, type Forgery, inHeader, otherBodies, otherMoments } from './forgeries.ts'

const now = readClock()
const text = JSON.stringify(eventOf('evt_\ufffd'))
const bytes = Buffer.from(text)
const id = 'msg_1'
const good = digest(id, now, text)
const withHeaders = (changed: Record<string, string>, body = bytes): ForgedDelivery => ({
  headers: { ...signed(text, { id, moment: now }).headers, ...changed },
  body,
})
const without = (name: string): ForgedDelivery => {
  const { [name]: _, ...headers } = signed(text, { id, moment: now }).headers
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
  ['something after the signature', `v1,${good},more`],
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
    expect(await attempt(delivery)).toEqual([401, errorBody('email_signature_invalid')])
  })

  it.each([
    ['dated now', signed(text)],
    ['among others', withHeaders({ 'webhook-signature': `v1a,AAAA v1,BBBB v1,${good}` })],
    ['dated nearly five minutes ago', signed(text, { moment: now - 280 })],
    ['dated nearly five minutes ahead', signed(text, { moment: now + 290 })],
  ])('accepts a signature %s and returns 503', async (_, delivery) => {
    expect(await attempt(delivery)).toEqual([503, errorBody('email_database_unavailable')])
  })

  it.each([
    ['{"type"', 'invalid_json'],
    ['', 'invalid_json'],
    ['{}', 'validation_error'],
    ['[]', 'validation_error'],
  ])('rejects %j as %s, even with a valid signature', async (body, error) => {
    const [status, response] = await attempt(signed(body))
    expect([status, response.error]).toEqual([400, error])
  })
})

describe('webhooks.email without a secret', () => {
  const gateway = startTestGateway()

  it('returns 503', async () => {
    const { status, body } = await post(gateway, signed(text))
    expect([status, body]).toEqual([503, errorBody('email_webhook_not_configured')])
  })
})
