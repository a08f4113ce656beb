import { describe, expect, it } from 'vitest'
import { errorTable } from '#contracts/errors.ts'
import type { TestGateway } from '#test/support/gateway.ts'
import { get, openRawClient, type RawClient, type RawResponse, sendRaw } from '#test/support/raw-client.ts'
import { ok, type RawCore, type Reply } from '#test/support/raw-core.ts'
import { recordCore } from './core-stream.ts'

/** `open`: another request is served on it; `closed`: nothing more is; `waits`: the request has not ended yet. */
type Connection = 'open' | 'closed' | 'waits'

/** What goes over one connection, and what must become of it; `rfc` is the document and the section. */
export type WireCase = readonly [
  rfc: string,
  name: string,
  bytes: string,
  responses: readonly (number | 'HEAD 200')[],
  connection: Connection,
  core?: readonly string[],
]

export const lines = (...parts: readonly string[]) => `${parts.join('\r\n')}\r\n\r\n`

/** The head of a request with these headers beside its host. */
export const head = (start: string, ...headers: readonly string[]) =>
  lines(`${start} HTTP/1.1`, 'Host: api.example', ...headers)

export const portOf = ({ url }: TestGateway) => Number(new URL(url).port)

const whenWhole: Reply = (socket, request) => {
  request.body.then(
    () => ok(socket, request),
    () => {},
  )
}

/** Has the core response that many requests once they came to their end; one that does not is never answered. */
export const replyWhenWhole = ({ core }: TestGateway, count: number) => {
  core.next.push(...Array.from({ length: count }, () => whenWhole))
}

const isErrorOf = (status: number, code: unknown) =>
  Object.entries(errorTable).some(
    ([known, [statuses]]) => known === code && statuses.some((one) => one === status),
  )

/** What stands on every response of the gateway, whoever made it. */
export const expectValidResponse = (response: RawResponse, method = 'GET') => {
  const countOf = (wanted: string) =>
    response.headers.filter(([name]) => name.toLowerCase() === wanted).length
  for (const name of [
    'x-service-core-runtime',
    'x-service-native-route',
    'x-service-proxy-fallback',
    'date',
  ]) {
    expect(countOf(name), JSON.stringify(response)).toBe(1)
  }
  expect(response.header('x-service-core-runtime')).toMatch(/^(?:native|proxy)$/)
  expect(response.header('x-service-proxy-fallback')).toMatch(/^[01]$/)
  expect(response.header('cache-control')).toBe('no-store')
  if (response.status < 400 || method === 'HEAD') return
  expect(response.header('content-type')).toMatch(/^application\/json\b/)
  expect(response.complete).toBe(true)
  expect(isErrorOf(response.status, JSON.parse(response.body).error), response.body).toBe(true)
}

const within = <T>(milliseconds: number, wanted: Promise<T>, client: RawClient) =>
  Promise.race([
    wanted,
    new Promise<never>((_, reject) => {
      const complain = () => reject(new Error(`no more came than ${JSON.stringify(client.text())}`))
      setTimeout(complain, milliseconds).unref()
    }),
  ])

const timeoutMs = 4000
const quietMs = 25

const expectResponses = async (client: RawClient, responses: WireCase[3]) => {
  for (const expected of responses) {
    const method = typeof expected === 'string' ? 'HEAD' : 'GET'
    const response = await within(timeoutMs, client.answer(method), client)
    expectValidResponse(response, method)
    expect(response.status).toBe(typeof expected === 'string' ? 200 : expected)
  }
}

const expectOpen = async (client: RawClient) => {
  client.send(get('/healthz', 'X-Request-Id: probe'))
  const response = await within(timeoutMs, client.answer(), client)
  expect([response.status, response.header('x-request-id')]).toEqual([200, 'probe'])
}

// The next request on the connection is not served, neither to the client nor towards the core.
const expectClosed = async (client: RawClient) => {
  const before = client.text().length
  client.send(get('/v1/after-the-end'))
  client.socket.end()
  const all = await within(timeoutMs, client.closed(), client)
  expect(all.slice(before)).toBe('')
}

const expectWaiting = async (client: RawClient) => {
  const before = client.text().length
  await new Promise((resolve) => setTimeout(resolve, quietMs))
  expect(client.text().slice(before)).toBe('')
}

const expectations = { open: expectOpen, closed: expectClosed, waits: expectWaiting }

/** What the core has seen, once all that was sent on before has reached it. */
export const collectCoreRequests = async (gateway: TestGateway, watch: ReturnType<typeof recordCore>) => {
  gateway.core.next.length = 0
  const response = await sendRaw(portOf(gateway), get('/v1/marker'))
  expect(response.status).toBe(200)
  const seen = watch.take()
  seen.splice(seen.indexOf('GET /v1/marker'), 1)
  return seen
}

const startOf = (request: string) => request.split(' ', 2).join(' ')

// In the order of their arrival, without the last, which is the collectCoreRequests.
const startsOf = ({ requests }: RawCore, from: number) =>
  requests.slice(from, -1).map(({ method, target }) => `${method} ${target}`)

/** One test a row: the bytes go over a connection of their own to the gateway, in front of a core that records. */
export const wireTests = (title: string, gateway: TestGateway, rows: readonly WireCase[]) => {
  let watch: ReturnType<typeof recordCore> | undefined
  describe(title, () => {
    for (const [rfc, name, bytes, responses, connection, core = []] of rows) {
      it(`RFC ${rfc}: ${name}`, async () => {
        watch ??= recordCore(gateway.core)
        watch.take()
        const before = gateway.core.requests.length
        replyWhenWhole(gateway, 100)
        const client = await openRawClient(portOf(gateway))
        try {
          client.send(bytes)
          await expectResponses(client, responses)
          await expectations[connection](client)
        } finally {
          client.socket.destroy()
        }
        const seen = await collectCoreRequests(gateway, watch)
        if (connection === 'open') expect(startsOf(gateway.core, before)).toEqual(core.map(startOf))
        // A request that never came to its end was not admitted, however much of it the core has seen.
        const whole = connection === 'open' ? seen : seen.filter((request) => request !== 'cut off')
        expect(whole.sort()).toEqual([...core].sort())
      })
    }
  })
}
