import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { get, openRawClient, post } from '#test/support/raw-client.ts'
import { bytes, type Reply, replyOk } from '#test/support/raw-core.ts'
import { head, portOf } from './wire.ts'

const gateway = startTestGateway({ core: 'recording' })

const lateMs = 150
const respondLate: Reply = (socket, request) =>
  void request.body.then(() => setTimeout(() => replyOk(socket, request), lateMs))

/**
 * Sends a message and closes the client's side. Resolves to the response statuses once the gateway has closed its side.
 */
const sendAndHalfClose = async (message: string) => {
  const client = await openRawClient(portOf(gateway))
  client.socket.end(Buffer.from(message, 'latin1'))
  const text = await client.waitForClose()
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}

const chunks = '3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n'
const chunked = `${head('POST /v1/tracks', 'Transfer-Encoding: chunked')}${chunks}`
const old = 'POST /v1/tracks HTTP/1.0\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}'
const written = post('/v1/tracks', '{}')
const upgrade = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQ']

describe('a client that closes its sending side after a write', () => {
  it.each<[string, string, number]>([
    ['a body with a length', written, 1],
    ['no body', post('/v1/tracks', ''), 1],
    ['PUT', written.replace('POST', 'PUT'), 1],
    ['DELETE', head('DELETE /v1/tracks/1'), 1],
    ['chunks', chunked, 1],
    ['HTTP/1.0', old, 1],
    ['HTTP/1.0 and keep-alive', old.replace('Content-', 'Connection: keep-alive\r\nContent-'), 1],
    ['a body that is streamed', post('/v1/tracks', 'x'.repeat(2_000_000)), 1],
    ['several pipelined writes', written + chunked + written, 3],
    ['a completed request before it', get('/healthz') + written, 2],
    ['a request for an upgrade', post('/v1/tracks', '{}', ...upgrade), 1],
    ['a request for an upgrade, without a body', head('DELETE /v1/tracks/1', ...upgrade), 1],
  ])('gets the response before the connection ends: %s', async (_, message, count) => {
    const before = gateway.core.requests.length
    gateway.core.nextReplies.push(...Array.from({ length: count }, () => respondLate))
    expect(await sendAndHalfClose(message)).toEqual(Array.from({ length: count }, () => 200))
    const writes = message.startsWith('GET') ? count - 1 : count
    expect(gateway.core.requests.length - before).toBe(writes)
    gateway.core.nextReplies.length = 0
  })

  it("gets a native route's response", async () => {
    const { token, accountId } = await gateway.signUp()
    const { sql } = gateway.database
    const body = JSON.stringify({ name: 'Written before the end' })
    const message = post(
      '/v1/libraries',
      body,
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
    )
    const locked = Promise.withResolvers<void>()
    const lock = sql.begin(async (tx) => {
      await tx`lock table libraries in exclusive mode`
      locked.resolve()
      await sleep(lateMs)
    })
    await locked.promise
    expect(await sendAndHalfClose(message)).toEqual([201])
    await lock
    expect(await sql`select name from libraries where owner_id = ${accountId}`).toHaveLength(1)
  })

  it('gets no response to a GET pipelined after the write, and the GET is not forwarded', async () => {
    const before = gateway.core.requests.length
    gateway.core.nextReplies.push(respondLate)
    expect(await sendAndHalfClose(written + get('/v1/behind'))).toEqual([200])
    expect(gateway.core.requests.slice(before).map(({ method }) => method)).toEqual(['POST'])
  })

  it('loses its request to the core if it then resets the connection', async () => {
    gateway.core.nextReplies.push(() => {})
    const client = await openRawClient(portOf(gateway))
    client.send(written.replace('/v1/tracks', '/v1/reset'))
    await expect.poll(() => gateway.core.requests.at(-1)?.target).toBe('/v1/reset')
    client.socket.resetAndDestroy()
    await expect
      .poll(async () => (await gateway.requestAdmin('GET', '/metrics')).body)
      .toMatch(/^crossfade_core_requests\{lane="requests"\} 0$/m)
  })
})

describe('when a client closes its sending side, the gateway', () => {
  const events = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n'
  const expectAborted = async (message: string, reply: Reply, text: string) => {
    const connections = gateway.core.openConnections()
    gateway.core.nextReplies.push(reply)
    const received = gateway.core.requests.length
    const client = await openRawClient(portOf(gateway))
    client.send(message)
    await expect.poll(() => gateway.core.requests.length).toBe(received + 1)
    if (text !== '') await expect.poll(client.text).toContain(text)
    client.socket.end()
    await client.waitForClose()
    await expect.poll(gateway.core.openConnections).toBeLessThanOrEqual(connections)
    gateway.core.nextReplies.length = 0
  }

  it('aborts a GET that has no response yet', () => expectAborted(get('/v1/held'), () => {}, ''))

  it('aborts an event stream that responds to a write', () =>
    expectAborted(written, bytes(events), 'data: 1'))

  it('aborts an event stream that responds to a write, even if the stream begins later', () =>
    expectAborted(written, (socket) => void setTimeout(() => socket.write(events), lateMs), ''))

  it('rejects a write whose body is incomplete', async () => {
    const before = gateway.core.requests.length
    const message = post('/v1/tracks', 'abcdef').slice(0, -1)
    expect(await sendAndHalfClose(message)).toEqual([400])
    expect(await sendAndHalfClose(chunked.slice(0, -5))).toEqual([400])
    expect(gateway.core.requests.length).toBe(before)
  })

  it('ends a write whose body is incomplete and that asked for an upgrade', async () => {
    const before = gateway.core.requests.length
    const message = post('/v1/tracks', 'abcdef', ...upgrade).slice(0, -1)
    const startedAt = performance.now()
    expect(await sendAndHalfClose(message)).toEqual([])
    expect(performance.now() - startedAt).toBeLessThan(5000)
    expect(gateway.core.requests.length).toBe(before)
  })
})
