import { describe, expect, it } from 'vitest'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { errorBody } from '#test/support/error-body.ts'
import { fillPathWith } from '#test/support/fill-path.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { progressLimits } from '#test/support/progress-limits.ts'
import { get, openRawClient, sendRaw } from '#test/support/raw-client.ts'
import { expectValidResponse, head, lines, portOf } from '../http/wire.ts'

const gateway = startTestGateway({
  control: 'fixed',
  core: 'recording',
  bodyProgress: progressLimits({ pauseTimeoutMs: 200, gracePeriodMs: 200 }),
})

const portOfGateway = () => portOf(gateway)

const invalid: readonly (readonly [name: string, status: number, build: (method: string) => string])[] = [
  ['an empty segment', 400, (method) => head(`${method} /v1//tracks`)],
  ['two Host headers', 400, (method) => head(`${method} /v1/tracks`, 'Host: b')],
  [
    'a length and chunks',
    400,
    (method) => head(`${method} /v1`, 'Content-Length: 1', 'Transfer-Encoding: chunked'),
  ],
  ['an override of its method', 400, (method) => head(`${method} /v1/tracks`, 'X-HTTP-Method: DELETE')],
  ['an unknown expectation', 417, (method) => head(`${method} /v1/tracks`, 'Expect: magic')],
  ['a malformed header', 400, (method) => head(`${method} /v1/tracks`, 'X A: b')],
  ['a folded header', 400, (method) => head(`${method} /v1/tracks`, 'X-A: b', ' c')],
  ['headers above the limit', 431, (method) => head(`${method} /v1/tracks`, `X-A: ${'a'.repeat(17_000)}`)],
  ['a target above the limit', 414, (method) => head(`${method} /${'a'.repeat(17_000)}`)],
  ['an unsupported version', 505, (method) => lines(`${method} /v1/tracks HTTP/1.2`, 'Host: a')],
  [
    'a malformed chunk',
    400,
    (method) => `${head(`${method} /v1/tracks`, 'Transfer-Encoding: chunked')}zz\r\n`,
  ],
]

const requestIdOf = (response: string) => /\r\nx-request-id: ([^\r]+)\r\n/i.exec(response)?.[1] ?? ''

describe.each(invalid)('a request with %s', (_, status, build) => {
  const send = async (message: string, isSecond: boolean) => {
    const client = await openRawClient(portOfGateway())
    if (isSecond) {
      client.send(get('/healthz'))
      await client.receiveResponse()
    }
    const before = client.text().length
    client.send(message)
    const [responseHead = '', body] = (await client.waitForClose()).slice(before).split('\r\n\r\n')
    return { responseHead: `${responseHead}\r\n`, body }
  }

  it.each([
    ['GET', false],
    ['HEAD', false],
    ['GET', true],
    ['HEAD', true],
  ])(
    'gets an error with a logged request id, without a body for HEAD (%s, second request: %s)',
    async (method, isSecond) => {
      const { responseHead, body } = await send(build(method), isSecond)
      expect(responseHead).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(responseHead)?.[1])
      expect(length).toBeGreaterThan(0)
      expect(body).toHaveLength(method === 'HEAD' ? 0 : length)
      const requestId = requestIdOf(responseHead)
      expect(requestId).toMatch(/^[0-9a-f-]{36}$/)
      await expect
        .poll(() => gateway.log.forRequest(requestId).map(({ fields }) => fields.status))
        .toEqual([status])
    },
  )
})

describe('a rejected request with an id', () => {
  it('keeps its id if it is valid, and gets a new one otherwise', async () => {
    for (const [sent, kept] of [
      ['req-of-the-client', true],
      ['not valid', false],
    ] as const) {
      const response = await sendRaw(portOfGateway(), get('/v1//tracks', `X-Request-Id: ${sent}`))
      expect(response.status).toBe(400)
      expect(response.header('x-request-id') === sent).toBe(kept)
      expect(response.header('x-request-id')).toMatch(/^[\w-]+$/)
    }
  })

  it('keeps its id if the method is CONNECT', async () => {
    const response = await sendRaw(portOfGateway(), head('CONNECT a:443', 'X-Request-Id: req-of-connect'))
    expect([response.status, response.header('x-request-id')]).toEqual([405, 'req-of-connect'])
    expect(gateway.log.forRequest('req-of-connect')).toHaveLength(1)
  })
})

describe('a malformed chunk in a request body', () => {
  const forwarded = labels
    .map((label) => ({ label, ...rowOf(label) }))
    .filter(({ runtime, method }) => runtime === 'proxy' && method !== 'GET')
    .map(({ label, method }) => ({ label, start: `${method} ${fillPathWith(label, () => 'x')}` }))
  const cases = [...forwarded, { label: 'unmatched', start: 'POST /v1/no-such-thing' }]

  it.each(cases)(
    'causes a 400 of the gateway whose headers name the row: $label',
    async ({ label, start }) => {
      for (const arrivesLater of [false, true]) {
        const before = gateway.core.requests.length
        gateway.core.nextReplies.push(() => {})
        const requestId = crypto.randomUUID()
        const client = await openRawClient(portOfGateway())
        const framing = 'Transfer-Encoding: chunked'
        client.send(`${head(start, framing, `X-Request-Id: ${requestId}`)}3\r\nabc\r\n`)
        if (arrivesLater) await new Promise((resolve) => setTimeout(resolve, 20))
        client.send('zz\r\n')
        const response = await client.receiveResponse()
        expectValidResponse(response)
        expect([response.status, JSON.parse(response.body)]).toEqual([400, errorBody('bad_request')])
        expect(response.header('x-service-core-runtime')).toBe('native')
        expect(response.header('x-service-native-route')).toBe(label)
        expect([response.header('x-request-id'), response.header('connection')]).toEqual([requestId, 'close'])
        await client.waitForClose()
        const loggedFields = () => gateway.log.forRequest(requestId).map(({ fields }) => fields)
        await expect
          .poll(loggedFields)
          .toMatchObject([{ route: label, runtime: 'native', status: 400, error: 'bad_request' }])
        gateway.core.nextReplies.length = 0
        expect(gateway.core.requests.length - before).toBeLessThanOrEqual(1)
      }
    },
  )

  it('causes a 400 whose headers name the row and `native` on a native route', async () => {
    const { token } = await gateway.signUp()
    const framing = 'Transfer-Encoding: chunked'
    const start = head('POST /v1/libraries', framing, `Authorization: Bearer ${token}`)
    const client = await openRawClient(portOfGateway())
    client.send(`${start}3\r\nabc\r\n`)
    await new Promise((resolve) => setTimeout(resolve, 20))
    client.send('zz\r\n')
    const response = await client.receiveResponse()
    expect([response.status, response.header('x-service-native-route')]).toEqual([400, 'libraries.create'])
    expect(response.header('x-service-core-runtime')).toBe('native')
    await client.waitForClose()
  })
})

describe('a body that stops arriving', () => {
  it.each([
    ['a buffered body of a forwarded request', 'POST /v1/tracks', 'Content-Length: 100'],
    ['a streamed body', 'POST /v1/tracks', 'Content-Length: 100000000'],
    ['a chunked body', 'POST /v1/tracks', 'Transfer-Encoding: chunked'],
    ['the body of a native route', 'POST /v1/libraries', 'Content-Length: 100'],
  ])('is rejected with 408, and the connection is closed: %s', async (_, start, framing) => {
    const { token } = await gateway.signUp()
    gateway.core.nextReplies.push(() => {})
    const client = await openRawClient(portOfGateway())
    client.send(`${head(start, framing, `Authorization: Bearer ${token}`)}3\r\nabc\r\n`)
    const response = await client.receiveResponse()
    expect([response.status, response.header('connection')]).toEqual([408, 'close'])
    await client.waitForClose()
  })
})
