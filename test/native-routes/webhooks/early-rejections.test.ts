import { describe, expect, it, onTestFinished } from 'vitest'
import { type DeliveryLabel, deliveryLabels, deliveryOf } from '#contracts/deliveries.ts'
import { errorTable } from '#contracts/errors.ts'
import { rowOf } from '#contracts/shared/row.ts'
import { deliverySecrets, forgeDelivery } from '#test/support/deliveries.ts'
import { startTestGateway, type TestGateway } from '#test/support/gateway.ts'
import { openRawClient } from '#test/support/raw-client.ts'

const now = Math.floor(Date.now() / 1000)
const digest = 'ab'.repeat(32)
const base64 = `${'A'.repeat(43)}=`

const sendHead = async ({ url }: TestGateway, path: string, headers: Readonly<Record<string, string>>) => {
  const client = await openRawClient(Number(new URL(url).port))
  // A gateway that is shutting down waits for requests whose body may still arrive.
  onTestFinished(() => void client.socket.destroy())
  const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  client.send(
    `POST /v1${path} HTTP/1.1\r\nHost: api.example\r\nContent-Length: 500\r\n${headerLines.join('')}\r\n`,
  )
  const response = await client.receiveResponse()
  return [response.status, JSON.parse(response.body).error]
}

const pathOf = (label: DeliveryLabel) => rowOf(label).path.slice('/v1'.length)

const email = (changed: Readonly<Record<string, string>> = {}) => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(now),
  'webhook-signature': `v1,${base64}`,
  ...changed,
})

const callback = (signature: string) => ({ 'media-intelligence-signature': signature })

describe('a webhook whose body does not arrive', () => {
  const gateway = startTestGateway({
    environment: {
      ...deliverySecrets,
      MEDIA_INTELLIGENCE_URL: 'http://127.0.0.1:9',
    },
  })

  it.each<[name: string, header: string, error: string]>([
    ['no signature', '', 'billing_signature_missing'],
    ['no time', `v1=${digest}`, 'billing_signature_invalid'],
    ['a time of nine digits', `t=123456789,v1=${digest}`, 'billing_signature_invalid'],
    ['no signature of this scheme', `t=${now},v0=${digest}`, 'billing_signature_invalid'],
    ['a signature that is not hexadecimal', `t=${now},v1=xyz`, 'billing_signature_invalid'],
    ['an old time', `t=${now - 330},v1=${digest}`, 'billing_signature_invalid'],
  ])('is rejected by webhooks.billing because its headers have %s', async (_, header, error) => {
    const headers = header === '' ? {} : { 'billing-signature': header }
    expect(await sendHead(gateway, '/webhooks/billing', headers)).toEqual([400, error])
  })

  it.each<[name: string, headers: Readonly<Record<string, string>>]>([
    ['no signature', {}],
    ['a signature in upper case', { 'link-signature': digest.toUpperCase() }],
    ['a signature that is cut short', { 'link-signature': digest.slice(1) }],
  ])('is rejected by webhooks.links because its headers have %s', async (_, headers) => {
    expect(await sendHead(gateway, '/webhooks/links', headers)).toEqual([401, 'link_signature_invalid'])
  })

  it.each<[name: string, headers: Readonly<Record<string, string>>]>([
    ['no signature headers', {}],
    ['no id', email({ 'webhook-id': '' })],
    ['a time that is not a number', email({ 'webhook-timestamp': 'now' })],
    ['an old time', email({ 'webhook-timestamp': String(now - 330) })],
    ['no signature of this version', email({ 'webhook-signature': `v1a,${base64}` })],
    ['a signature without a version', email({ 'webhook-signature': base64 })],
  ])('is rejected by webhooks.email because its headers have %s', async (_, headers) => {
    expect(await sendHead(gateway, '/webhooks/email', headers)).toEqual([401, 'email_signature_invalid'])
  })

  it.each<[name: string, headers: Readonly<Record<string, string>>]>([
    ['no signature', {}],
    ['an old time', callback(`t=${now - 330},v1=${digest}`)],
    ['a signature that is cut short', callback(`t=${now},v1=${digest.slice(1)}`)],
    ['no signature after the time', callback(`t=${now}`)],
  ])('is rejected by media-intelligence.callback because its headers have %s', async (_, headers) => {
    const response = [401, 'media_intelligence_signature_invalid']
    expect(await sendHead(gateway, '/media-intelligence/callback', headers)).toEqual(response)
  })

  it.each(deliveryLabels)('is not rejected yet if its headers are well-formed: %s', async (label) => {
    const response = sendHead(gateway, pathOf(label), forgeDelivery(label))
    const wait = new Promise((resolve) => setTimeout(resolve, 150, 'waiting'))
    expect(await Promise.race([response, wait])).toBe('waiting')
    response.catch(() => {})
  })
})

describe('a webhook that has no secret and whose body does not arrive', () => {
  const gateway = startTestGateway()

  it.each(deliveryLabels)('is rejected immediately: %s', async (label) => {
    const { noSecret } = deliveryOf(label).errors
    const response = await sendHead(gateway, pathOf(label), forgeDelivery(label))
    expect(response).toEqual([errorTable[noSecret][0][0], noSecret])
  })
})
