import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { billingSecret as secret, signBilling } from '#test/support/billing.ts'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway, type TestGateway } from '#test/support/gateway.ts'
import { type ForgedDelivery, type Forgery, inHeader, otherBodies, otherMoments } from './forgeries.ts'

const event = { id: 'evt_\ufffd', type: 'customer.created', created: 1_780_000_000, data: { object: {} } }
const body = JSON.stringify(event)
const bytes = Buffer.from(body)
const now = Math.floor(Date.now() / 1000)

const hmac = (text: string, algorithm = 'sha256', key = secret) => createHmac(algorithm, key).update(text)
const hexOf = (moment: number | string) => hmac(`${moment}.${body}`).digest('hex')
const good = hexOf(now)
const wrong = 'ab'.repeat(32)

const signed = (header: string, sent = bytes): ForgedDelivery => ({
  headers: { 'billing-signature': header },
  body: sent,
})

const headers: readonly (readonly [name: string, header: string])[] = [
  ['only the time', `t=${now}`],
  ['only the signature', `v1=${good}`],
  ['the signature before the time', `v1=${good},t=${now}`],
  ['a signature that is cut short', `t=${now},v1=${good.slice(0, -1)}`],
  ['a signature with a digit more', `t=${now},v1=${good}0`],
  ['a signature in upper case', `t=${now},v1=${good.toUpperCase()}`],
  ['an empty signature', `t=${now},v1=`],
  ['a signature that is not hexadecimal', `t=${now},v1=${'g'.repeat(64)}`],
  ['a signature in base64', `t=${now},v1=${hmac(`${now}.${body}`).digest('base64')}`],
  ['a signature of another scheme', `t=${now},v0=${good}`],
  ['a scheme in upper case', `t=${now},V1=${good}`],
  ['no scheme', `t=${now},${good}`],
  ['a time in upper case', `T=${now},v1=${good}`],
  ['a space after the comma', `t=${now}, v1=${good}`],
  ['another separator', `t=${now};v1=${good}`],
  ['a comma at the end', `t=${now},v1=${good},`],
  ['quotes', `"t=${now},v1=${good}"`],
  ['several signatures, all wrong', `t=${now},v1=${wrong},v1=${wrong},v1=${wrong}`],
  ['two times, the last of them signed', `t=1,t=${now},v1=${good}`],
  ['two times, the first of them signed', `t=${now},t=${now + 1},v1=${good}`],
  ['the same time twice', `t=${now},t=${now},v1=${good}`],
  ['the header twice', `t=${now},v1=${good}, t=${now},v1=${good}`],
  ['a time that was not signed', `t=${now - 1},v1=${good}`],
  ['a time of more than five minutes ago', `t=${now - 330},v1=${hexOf(now - 330)}`],
  ['a time more than five minutes ahead', `t=${now + 330},v1=${hexOf(now + 330)}`],
  ['another secret', signBilling(body, { secret: 'whsec_other' })],
  ['no secret', `t=${now},v1=${hmac(`${now}.${body}`, 'sha256', '').digest('hex')}`],
  ['the secret with a line feed', signBilling(body, { secret: `${secret}\n` })],
  ['the secret without its prefix', signBilling(body, { secret: secret.replace('whsec_', '') })],
  ['another hash', `t=${now},v1=${hmac(`${now}.${body}`, 'sha512').digest('hex').slice(0, 64)}`],
  ['a hash without a key', `t=${now},v1=${createHash('sha256').update(`${now}.${body}`).digest('hex')}`],
  ['a signature of the body alone', `t=${now},v1=${hmac(body).digest('hex')}`],
  ['a full-width scheme', inHeader(`t=${now},ｖ1=${good}`)],
]

const forgeries: readonly Forgery[] = [
  ...headers.map(([name, header]): Forgery => [name, signed(header)]),
  ...otherMoments(now).map(
    ([name, moment]): Forgery => [`a time ${name}`, signed(`t=${moment},v1=${hexOf(moment)}`)],
  ),
  ...otherBodies(body).map(([name, other]): Forgery => [name, signed(`t=${now},v1=${good}`, other)]),
]

const missing: readonly Forgery[] = [
  ['no header', { headers: {}, body: bytes }],
  ['an empty header', signed('')],
  ['a header of blanks', signed('  ')],
  [
    'the header under another name',
    { headers: { 'x-billing-signature': `t=${now},v1=${good}` }, body: bytes },
  ],
]

const post = async ({ url }: TestGateway, { headers: sent, body: raw }: ForgedDelivery) => {
  const response = await fetch(`${url}/v1/webhooks/billing`, { method: 'POST', headers: sent, body: raw })
  return [response.status, await response.json()]
}

describe('webhooks.billing without a database', () => {
  // Without a database, only a delivery that is rejected before any query gets a 400.
  const gateway = startTestGateway({ throughRelay: true, environment: { BILLING_WEBHOOK_SECRET: secret } })
  const send = async (delivery: ForgedDelivery) => {
    gateway.relay.setUnavailable(true)
    return post(gateway, delivery)
  }

  it.each(forgeries)('rejects %s', async (_, delivery) => {
    expect(await send(delivery)).toEqual([400, errorBody('billing_signature_invalid')])
  })

  it.each(missing)('reports a missing signature for %s', async (_, delivery) => {
    expect(await send(delivery)).toEqual([400, errorBody('billing_signature_missing')])
  })

  it.each([
    ['dated now', `t=${now},v1=${good}`],
    ['among others', `t=${now},v1=${wrong},v1=${good},v0=${wrong}`],
    ['dated nearly five minutes ago', signBilling(body, { at: Date.now() - 280_000 })],
    ['dated nearly five minutes ahead', signBilling(body, { at: Date.now() + 290_000 })],
  ])('accepts a signature %s and returns 503', async (_, header) => {
    expect(await send(signed(header))).toEqual([503, errorBody('billing_database_unavailable')])
  })

  it.each(['', '{"id":', '[1,2', 'evt', '\u0000'])(
    'rejects %j as invalid JSON even with a valid signature',
    async (text) => {
      const [status, response] = await send(signed(signBilling(text), Buffer.from(text)))
      expect([status, response.error]).toEqual([400, 'invalid_json'])
    },
  )

  it('rejects an envelope without an id', async () => {
    const paid = { ...event, type: 'invoice.paid', data: { object: { subscription: 'sub_1' } } }
    const text = JSON.stringify({ ...paid, id: undefined })
    const [status, response] = await send(signed(signBilling(text), Buffer.from(text)))
    expect([status, response.error, response.issues[0].path]).toEqual([400, 'validation_error', 'id'])
  })
})

describe('webhooks.billing without a secret', () => {
  const gateway = startTestGateway()

  it.each([
    ['signed', `t=${now},v1=${good}`],
    ['unsigned', ''],
  ])('rejects a delivery that is %s', async (_, header) => {
    expect(await post(gateway, signed(header))).toEqual([503, errorBody('billing_configuration_error')])
  })
})
