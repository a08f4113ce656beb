import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createCircuitBreaker } from '#proxy/circuit-breaker.ts'
import { get, sendRaw } from '#test/support/raw-client.ts'
import { bytes, type Reply, replyOk } from '#test/support/raw-core.ts'
import { startAsking } from './ask-request.ts'
import { until } from './forwarding-gateway.ts'
import { head200, silent, thenEnd, thenReset } from './misbehaving-core.ts'

const gzipped = gzipSync('the text of a response')

describe('asking the core', () => {
  it.each<[string, Reply, number, string]>([
    ['with a length', bytes(`${head200}Content-Length: 4\r\n\r\nbody`), 200, 'body'],
    [
      'in chunks with trailers',
      bytes(`${head200}Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\nX-Checksum: 1\r\n\r\n`),
      200,
      'body',
    ],
    ['that ends with its connection', thenEnd(`${head200}\r\nbody`), 200, 'body'],
    ['of HTTP/1.0', thenEnd('HTTP/1.0 200 OK\r\n\r\nbody'), 200, 'body'],
    ['of status 204', bytes('HTTP/1.1 204 No Content\r\n\r\n'), 204, ''],
    ['of status 304', bytes('HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n'), 304, ''],
    ['of status 503', bytes('HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy'), 503, 'busy'],
    [
      'after interim responses',
      bytes(
        `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${head200}Content-Length: 4\r\n\r\nbody`,
      ),
      200,
      'body',
    ],
    [
      'in gzip, without decompressing it',
      (socket) => {
        socket.write(`${head200}Content-Encoding: gzip\r\nContent-Length: ${gzipped.length}\r\n\r\n`)
        socket.write(gzipped)
      },
      200,
      gzipped.toString('latin1'),
    ],
  ])('collects a response %s', async (_, reply, status, body) => {
    const { ask } = await startAsking(reply)
    const outcome = await ask()
    expect(outcome).toMatchObject({ kind: 'completed', response: { status } })
    expect(outcome.kind === 'completed' && outcome.response.body?.toString('latin1')).toBe(body)
  })

  it('returns the headers as the core sent them, the time to the head and the total duration', async () => {
    const { ask } = await startAsking((socket) => {
      setTimeout(() => {
        socket.write(`${head200}Set-Cookie: a=1\r\nset-cookie: b=2\r\nContent-Length: 2\r\n\r\no`)
        setTimeout(() => socket.write('k'), 200)
      }, 100)
    })
    const outcome = await ask()
    if (outcome.kind !== 'completed') throw new Error(`the outcome is ${outcome.kind}`)
    const { headers, timeToHeadMs, durationMs } = outcome.response
    expect(headers).toEqual(['Set-Cookie', 'a=1', 'set-cookie', 'b=2', 'Content-Length', '2'])
    expect(timeToHeadMs).toBeGreaterThan(95)
    expect(durationMs - timeToHeadMs).toBeGreaterThan(50)
  })

  it('sends the headers that a forwarded request would have', async () => {
    const { core, ask } = await startAsking()
    await ask({
      headers: [
        ...[
          'Host',
          'api.example',
          'Authorization',
          'Bearer token',
          'Connection',
          'keep-alive, X-Hop',
          'X-Hop',
          '1',
        ],
        ...[
          'TE',
          'trailers',
          'X-Request-Id',
          'forged',
          'X-Forwarded-For',
          '198.51.100.1',
          'X-Service-Shadow',
          '1',
        ],
        ...['Via', '1.1 cdn', 'Expect', '100-continue', 'Content-Length', '3', 'Accept', 'application/json'],
      ],
    })
    const [request] = core.requests
    expect(request?.head).toMatch(/^GET \/v1\/tracks\?limit=2 HTTP\/1\.1/)
    expect(request?.headers.filter(([name]) => name !== 'connection')).toEqual([
      ['host', new URL(core.url).host],
      ['Authorization', 'Bearer token'],
      ['Via', '1.1 cdn'],
      ['Accept', 'application/json'],
      ['via', '1.1 crossfade-test'],
      ['x-forwarded-for', '192.0.2.7'],
      ['x-forwarded-proto', 'https'],
      ['x-forwarded-host', 'api.example'],
      ['x-request-id', 'req_ask'],
    ])
  })

  it('marks a shadow request with X-Service-Shadow, whatever the client sent in this header', async () => {
    const { core, ask } = await startAsking()
    await ask({ isShadow: true, headers: ['x-service-shadow', '0'] })
    const marks = core.requests[0]?.headers.filter(([name]) => name.toLowerCase() === 'x-service-shadow')
    expect(marks).toEqual([['x-service-shadow', '1']])
  })

  it.each([
    ['returns a body of 64 KiB', 65_536, 65_536],
    ['returns no body of more than 64 KiB', 65_537, undefined],
    ['does not read a long body to its end', 10_000_000, undefined],
  ])('%s', async (_, sent, returned) => {
    const { core, ask } = await startAsking((socket) => {
      socket.write(`${head200}Connection: close\r\nContent-Length: ${sent}\r\n\r\n${'x'.repeat(sent)}`)
    })
    const outcome = await ask()
    expect(outcome.kind === 'completed' && outcome.response.body?.length).toBe(returned)
    await until(() => core.openConnections() === 0)
    core.nextReplies.push(replyOk)
    expect((await ask()).kind).toBe('completed')
  })

  it('uses at most four connections, which it does not share with clients', async () => {
    const held: (() => void)[] = []
    const { core, ask, port } = await startAsking((socket, request) => {
      if (request.target.startsWith('/v1/tracks')) held.push(() => replyOk(socket, request))
      else replyOk(socket, request)
    })
    const asked = Array.from({ length: 6 }, () => ask())
    await until(() => held.length === 4)
    expect((await sendRaw(port, get('/v1/packs'))).status).toBe(200)
    expect(core.openConnections()).toBe(5)
    while (held.length > 0) {
      held.shift()?.()
      await sleep(5)
    }
    await until(() => held.length === 0 && core.requests.length === 7)
    for (const release of held) release()
    expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual(Array(6).fill('completed'))
    expect(core.received).toHaveLength(5)
  })
})

describe("one of the gateway's own requests is dropped", () => {
  it('if it gets no connection in time', async () => {
    const { core, ask } = await startAsking(silent)
    const stop = new AbortController()
    const asked = Array.from({ length: 4 }, () => ask({ signal: stop.signal }))
    await until(() => core.requests.length === 4)
    const startedAt = performance.now()
    expect(await ask({ connectionTimeoutMs: 50 })).toEqual({ kind: 'dropped', reason: 'no-connection' })
    expect(performance.now() - startedAt).toBeLessThan(2000)
    expect(await ask({ connectionTimeoutMs: 0 })).toEqual({ kind: 'dropped', reason: 'no-connection' })
    stop.abort()
    await Promise.all(asked)
    expect(core.requests).toHaveLength(4)
  })

  it('if too many are waiting already', async () => {
    const { ask } = await startAsking(silent)
    const stop = new AbortController()
    const asked = Array.from({ length: 68 }, () => ask({ signal: stop.signal }))
    expect(await ask()).toEqual({ kind: 'dropped', reason: 'no-connection' })
    stop.abort()
    expect((await Promise.all(asked)).every(({ kind }) => kind === 'aborted')).toBe(true)
  })

  it('if it has already passed through this deployment', async () => {
    const { core, ask } = await startAsking()
    expect(await ask({ headers: ['Via', '1.1 crossfade-test'] })).toEqual({ kind: 'dropped', reason: 'loop' })
    expect(core.requests).toEqual([])
  })

  it('if the circuit breaker is open', async () => {
    const breaker = createCircuitBreaker({ threshold: 1, openMs: 60_000 })
    const { core, ask } = await startAsking(replyOk, { breaker })
    breaker.recordFailure()
    expect(await ask()).toEqual({ kind: 'dropped', reason: 'breaker' })
    expect(core.requests).toEqual([])
  })

  it('if the circuit breaker opens while it waits', async () => {
    const breaker = createCircuitBreaker({ threshold: 1 })
    const { core, ask } = await startAsking(silent, { breaker })
    const asked = Array.from({ length: 5 }, () => ask({ timeoutMs: 100 }))
    await until(() => core.requests.length === 4)
    breaker.recordFailure()
    expect(await asked[4]).toEqual({ kind: 'dropped', reason: 'breaker' })
    expect(core.requests).toHaveLength(4)
  })
})

describe("one of the gateway's own requests fails", () => {
  it.each<[string, Reply, string]>([
    ['sends nothing', silent, 'core_timeout'],
    ['stalls inside the body', bytes(`${head200}Content-Length: 9\r\n\r\nhalf`), 'core_timeout'],
    [
      'sends a body slowly without an end',
      (socket) => {
        socket.write(`${head200}Transfer-Encoding: chunked\r\n\r\n`)
        const timer = setInterval(() => socket.write('1\r\nx\r\n'), 10)
        socket.on('close', () => clearInterval(timer))
      },
      'core_timeout',
    ],
    ['resets the connection', thenReset(''), 'core_bad_response'],
    ['breaks off inside the body', thenReset(`${head200}Content-Length: 9\r\n\r\nhalf`), 'core_bad_response'],
    ['resets a close-delimited body', thenReset(`${head200}\r\nhalf`), 'core_bad_response'],
    ['ends inside the head', thenEnd(`${head200}Content-Le`), 'core_bad_response'],
    ['sends garbage', thenEnd('SSH-2.0-OpenSSH_9.6\r\n'), 'core_bad_response'],
    [
      'sends a status out of range',
      bytes('HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok'),
      'core_bad_response',
    ],
  ])('if the core %s', async (_, reply, code) => {
    const { core, ask } = await startAsking(reply)
    expect(await ask({ timeoutMs: 200 })).toEqual({ kind: 'failed', code })
    // The request is not retried, and its slot is free again.
    expect(core.requests).toHaveLength(1)
    await until(() => core.openConnections() === 0)
    core.nextReplies.push(...Array.from({ length: 4 }, () => replyOk))
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => ask()))
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array(4).fill('completed'))
  })

  it('if it has an invalid header', async () => {
    const { ask } = await startAsking()
    expect(await ask({ headers: ['X-Name', 'a\nb'] })).toEqual({ kind: 'failed', code: 'bad_request' })
    expect((await ask()).kind).toBe('completed')
  })
})
