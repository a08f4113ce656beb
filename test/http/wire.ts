import { describe, expect, it } from 'vitest'
import { errorTable } from '#contracts/errors.ts'
import type { TestGateway } from '#test/support/gateway.ts'
import { get, openRawClient, type RawClient, type RawResponse, sendRaw } from '#test/support/raw-client.ts'
import { type RawCore, type Reply, replyOk } from '#test/support/raw-core.ts'
import { recordCore } from './record-core.ts'

/** `open`: the next request on the connection is served. `closed`: it is not. `waits`: the request is incomplete. */
type WireConnection = 'open' | 'closed' | 'waits'

/** The bytes to send on one connection, and what to expect in return. `rfc` names the document and section. */
export type WireCase = readonly [
  rfc: string,
  name: string,
  bytes: string,
  responses: readonly (number | 'HEAD 200')[],
  connection: WireConnection,
  core?: readonly string[],
]

export const lines = (...parts: readonly string[]) => `${parts.join('\r\n')}\r\n\r\n`

export const head = (start: string, ...headers: readonly string[]) =>
  lines(`${start} HTTP/1.1`, 'Host: api.example', ...headers)

export const portOf = ({ url }: TestGateway) => Number(new URL(url).port)

const respondWhenComplete: Reply = (socket, request) => {
  request.body.then(
    () => replyOk(socket, request),
    () => {},
  )
}

/** Makes the core respond to each of `count` requests once it is complete. An incomplete request gets no response. */
export const replyWhenComplete = ({ core }: TestGateway, count: number) => {
  core.nextReplies.push(...Array.from({ length: count }, () => respondWhenComplete))
}

const isErrorOf = (status: number, code: unknown) =>
  Object.entries(errorTable).some(
    ([known, [statuses]]) => known === code && statuses.some((one) => one === status),
  )

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
      const fail = () => reject(new Error(`timed out after ${JSON.stringify(client.text())}`))
      setTimeout(fail, milliseconds).unref()
    }),
  ])

const timeoutMs = 4000
const quietMs = 25

const expectResponses = async (client: RawClient, responses: WireCase[3]) => {
  for (const expected of responses) {
    const method = typeof expected === 'string' ? 'HEAD' : 'GET'
    const response = await within(timeoutMs, client.receiveResponse(method), client)
    expectValidResponse(response, method)
    expect(response.status).toBe(typeof expected === 'string' ? 200 : expected)
  }
}

const expectOpen = async (client: RawClient) => {
  client.send(get('/healthz', 'X-Request-Id: probe'))
  const response = await within(timeoutMs, client.receiveResponse(), client)
  expect([response.status, response.header('x-request-id')]).toEqual([200, 'probe'])
}

// The next request on the connection gets no response and is not sent to the core.
const expectClosed = async (client: RawClient) => {
  const before = client.text().length
  client.send(get('/v1/after-the-end'))
  client.socket.end()
  const all = await within(timeoutMs, client.waitForClose(), client)
  expect(all.slice(before)).toBe('')
}

const expectNoResponse = async (client: RawClient) => {
  const before = client.text().length
  await new Promise((resolve) => setTimeout(resolve, quietMs))
  expect(client.text().slice(before)).toBe('')
}

const expectations = { open: expectOpen, closed: expectClosed, waits: expectNoResponse }

/** Returns the requests that the core has received, once everything forwarded earlier has reached it. */
export const collectCoreRequests = async (gateway: TestGateway, recording: ReturnType<typeof recordCore>) => {
  gateway.core.nextReplies.length = 0
  const response = await sendRaw(portOf(gateway), get('/v1/marker'))
  expect(response.status).toBe(200)
  const received = recording.takeNew()
  received.splice(received.indexOf('GET /v1/marker'), 1)
  return received
}

const methodAndTarget = (request: string) => request.split(' ', 2).join(' ')

// In order of arrival, without the last request, which is the marker.
const methodsAndTargets = ({ requests }: RawCore, from: number) =>
  requests.slice(from, -1).map(({ method, target }) => `${method} ${target}`)

// For a request that is rejected at the edge, `name` says what is invalid in it.
const titleOf = ([rfc, name, , [status], connection]: WireCase) =>
  typeof status === 'number' && status >= 400 && connection === 'closed'
    ? `RFC ${rfc}: returns ${status} and closes the connection for ${name}`
    : `RFC ${rfc}: ${name}`

/** Defines one test per row, which sends the bytes on a new connection and records what reaches the core. */
export const wireTests = (title: string, gateway: TestGateway, rows: readonly WireCase[]) => {
  let recording: ReturnType<typeof recordCore> | undefined
  describe(title, () => {
    for (const row of rows) {
      const [, , bytes, responses, connection, core = []] = row
      it(titleOf(row), async () => {
        recording ??= recordCore(gateway.core)
        recording.takeNew()
        const before = gateway.core.requests.length
        replyWhenComplete(gateway, 100)
        const client = await openRawClient(portOf(gateway))
        try {
          client.send(bytes)
          await expectResponses(client, responses)
          await expectations[connection](client)
        } finally {
          client.socket.destroy()
        }
        const received = await collectCoreRequests(gateway, recording)
        if (connection === 'open')
          expect(methodsAndTargets(gateway.core, before)).toEqual(core.map(methodAndTarget))
        // An incomplete request does not count as accepted, even if the core has received part of it.
        const completeRequests =
          connection === 'open' ? received : received.filter((request) => request !== 'cut off')
        expect(completeRequests.sort()).toEqual([...core].sort())
      })
    }
  })
}
