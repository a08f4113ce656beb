import { expect, it } from 'vitest'
import { countCases } from '#test/support/count-cases.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { get, openRawClient, post, sendRaw } from '#test/support/raw-client.ts'
import { recordCore } from './record-core.ts'
import { collectCoreRequests, expectValidResponse, head, portOf, replyWhenComplete } from './wire.ts'

const gateway = startTestGateway({ core: 'recording' })

const mutants = countCases(3000, 0.25)
const concurrency = 24

// Seeded, so a failed run can be repeated: FUZZ_SEED=... npx vitest run test/http/fuzz.test.ts
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000)
let state = seed
const below = (limit: number) => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * limit)
}
const pick = <T>(list: readonly T[]): T => list[below(list.length)]!

const validMessages: readonly string[] = [
  get('/v1/tracks', 'Accept: */*', 'Authorization: Bearer x'),
  get('http://api.example:80/v1/tracks?x=%20', 'Connection: keep-alive, x-a', 'X-A: b'),
  head('HEAD /v1/tracks', 'If-None-Match: "x"'),
  head('OPTIONS *'),
  get('/v1/%77orks/./..', 'Range: bytes=0-1'),
  post('/v1/tracks', '{"title":"x"}', 'Content-Type: application/json'),
  post('/v1/webhooks/billing', '{}', 'billing-signature: x'),
  post('/v1/libraries', '{"name":"x"}', 'Expect: 100-continue'),
  `${head('POST /v1/tracks', 'Transfer-Encoding: chunked')}3;a="b"\r\nabc\r\n0\r\nX: y\r\n\r\n`,
  `${head('PUT /v1/packs/p/tracks/order', 'Transfer-Encoding: chunked', 'Expect: 100-continue')}1\r\nx\r\n0\r\n\r\n`,
  get('/v1/tracks') + post('/v1/tracks', 'abc') + get('/healthz'),
  get('/v1/tracks', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQ'),
]

const fragments: readonly string[] = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  '\t',
  ' ',
  ':',
  ';',
  ',',
  '"',
  '/',
  '//',
  '/../',
  '\\',
  '#',
  '?',
  '%',
  '%2f',
  '%2e',
  '%00',
  '*',
  '@',
  '\x7f',
  '\x80',
  '\xff',
  '0',
  '-1',
  '+1',
  '0x1',
  '99999999999999999999',
  '0\r\n\r\n',
  'HTTP/1.1',
  'HTTP/1.0',
  'GET /v1/webhooks/x HTTP/1.1\r\nHost: a\r\n\r\n',
  'Content-Length: 5\r\n',
  'Content-Length: 0\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: x\r\n',
  'Host: b\r\n',
  'Connection: close\r\n',
  'Expect: x\r\n',
]

type Mutation = (text: string, at: number) => string

const slice = (text: string) => {
  const from = below(text.length)
  return text.slice(from, from + below(40))
}

const mutations: readonly Mutation[] = [
  (text, at) => text.slice(0, at) + String.fromCharCode(below(256)) + text.slice(at + 1),
  (text, at) => text.slice(0, at) + text.slice(at + 1 + below(4)),
  (text, at) => text.slice(0, at) + pick(fragments) + text.slice(at),
  (text, at) => text.slice(0, at) + pick(fragments) + text.slice(at + 1 + below(8)),
  (text, at) => text.slice(0, at) + slice(text) + text.slice(at),
  (text, at) => text.slice(0, at) + pick(validMessages),
  (text, at) => text.slice(0, at),
  (text, at) => text.slice(0, at) + text.charAt(at).repeat(below(300)) + text.slice(at),
  (text) => {
    const lines = text.split('\r\n')
    const [line = ''] = lines.splice(below(lines.length), 1)
    lines.splice(below(lines.length + 1), 0, line)
    return lines.join('\r\n')
  },
]

interface FuzzAttempt {
  readonly message: string
  readonly splitAt: number
  readonly closesWith: 'end' | 'reset'
}

const createAttempt = (): FuzzAttempt => {
  let message = pick(validMessages)
  for (let left = 1 + below(4); left > 0; left--) message = pick(mutations)(message, below(message.length))
  const splitAt = below(2) === 0 ? message.length : below(message.length)
  return { message, splitAt, closesWith: pick(['end', 'end', 'reset'] as const) }
}

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 10))

const send = async ({ message, splitAt, closesWith }: FuzzAttempt) => {
  const client = await openRawClient(portOf(gateway))
  client.send(message.slice(0, splitAt))
  if (splitAt < message.length) await pause()
  client.send(message.slice(splitAt))
  await pause()
  if (closesWith === 'end') client.socket.end()
  else client.socket.resetAndDestroy()
  return client.waitForClose()
}

const serviceHeaders = [
  'x-service-core-runtime: ',
  'x-service-native-route: ',
  'x-service-proxy-fallback: ',
  'cache-control: ',
]

it(`RFC 9112: the gateway sends no invalid request to the core, and survives ${mutants} mutants of valid requests (seed ${seed})`, {
  timeout: 60_000,
}, async () => {
  const recording = recordCore(gateway.core)
  replyWhenComplete(gateway, mutants * 10)
  const queue = Array.from({ length: mutants }, createAttempt)
  const statuses = new Set<string>()
  const work = async () => {
    for (let next = queue.pop(); next; next = queue.pop()) {
      const { message } = next
      const text = await send(next)
      if (text !== '') expect(text, JSON.stringify(message)).toMatch(/^HTTP\/1\.1 \d{3} /)
      for (const [response, status = ''] of text.matchAll(/HTTP\/1\.1 ([2-5]\d\d) [\s\S]*?\r\n\r\n/g)) {
        statuses.add(status)
        for (const header of serviceHeaders) {
          expect(response.toLowerCase().split(`\r\n${header}`), JSON.stringify(message)).toHaveLength(2)
        }
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  const response = await sendRaw(portOf(gateway), get('/healthz'))
  expectValidResponse(response)
  expect(response.status).toBe(200)
  const received = await collectCoreRequests(gateway, recording)
  expect(received.length).toBeGreaterThan(mutants / 20)
  // Most mutants are rejected, but many are served.
  for (const status of ['200', '400', '401']) expect(statuses).toContain(status)
  expect([...statuses].filter((status) => status === '500' || status === '502')).toEqual([])
})
