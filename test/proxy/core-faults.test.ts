import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { get, openRawClient, sendRaw } from '#test/support/raw-client.ts'
import { bytes, type Reply, startRawCore } from '#test/support/raw-core.ts'
import { startCoreAndGateway, startForwardingGateway, until } from './forwarding-gateway.ts'
import { head200, silent, thenEnd, thenReset } from './misbehaving-core.ts'

describe('when the core cannot be reached, the gateway', () => {
  it('returns 503 core_unavailable', async () => {
    const core = await startRawCore()
    await core.close()
    const gateway = await startForwardingGateway(core.url)
    const response = await sendRaw(gateway.port, get('/v1/tracks'))
    expect(response.status).toBe(503)
    expect(JSON.parse(response.body)).toEqual(errorBody('core_unavailable'))
    await gateway.close()
  })

  it('returns 503 with Retry-After immediately when the circuit breaker is open', async () => {
    const core = await startRawCore()
    await core.close()
    const gateway = await startForwardingGateway(core.url)
    for (let attempt = 0; attempt < 5; attempt++) await sendRaw(gateway.port, get('/v1/tracks'))
    const response = await sendRaw(gateway.port, get('/v1/tracks'))
    expect([response.status, response.header('retry-after')]).toEqual([503, '1'])
    expect(await gateway.transport.readCoreState()).toBe('down')
    await gateway.close()
  })
})

describe('when the core sends no response, the gateway', () => {
  it.each([
    ['nothing', silent],
    ['half a status line', bytes('HTTP/1.1 2')],
    [
      'endless interim responses',
      ((socket) => {
        const timer = setInterval(
          () => socket.write('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'),
          10,
        )
        socket.on('close', () => clearInterval(timer))
      }) as Reply,
    ],
  ])('returns 504 core_timeout after the deadline (the core sends %s)', async (_, reply) => {
    const { port } = await startCoreAndGateway(reply, { timeoutMs: 400 })
    const from = performance.now()
    const response = await sendRaw(port, get('/v1/tracks'))
    const took = performance.now() - from
    expect(response.status).toBe(504)
    expect(JSON.parse(response.body)).toEqual(errorBody('core_timeout'))
    expect(took).toBeGreaterThanOrEqual(395)
    // The limit is generous because the machine may be busy. deadline-monitor.test.ts tests how late a deadline may be.
    expect(took).toBeLessThan(10 * 400)
  })

  it('closes its connection to the core, so that no client gets the late response', async () => {
    const { core, port } = await startCoreAndGateway(silent, { timeoutMs: 100 })
    await sendRaw(port, get('/v1/tracks'))
    await until(() => core.openConnections() === 0)
  })

  it('does not delay queued requests beyond their deadlines', async () => {
    const { port } = await startCoreAndGateway(silent, { timeoutMs: 150, connections: 1 })
    const responses = await Promise.all([1, 2, 3].map(() => sendRaw(port, get('/v1/tracks'))))
    // At the last moment, a queued request may still get the first request's connection.
    expect(responses.map(({ status }) => status).sort()).toEqual([503, expect.toBeOneOf([503, 504]), 504])
  })
})

describe("the core's interim responses", () => {
  const final = `${head200}Content-Length: 5\r\n\r\nfinal`

  it.each([
    ['100', `HTTP/1.1 100 Continue\r\n\r\n${final}`],
    ['103 with headers', `HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n${final}`],
    [
      '102, 100 and 103',
      `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n${final}`,
    ],
  ])('are not forwarded: %s', async (_, text) => {
    const { port } = await startCoreAndGateway(bytes(text))
    const client = await openRawClient(port)
    for (let round = 0; round < 3; round++) {
      client.send(get('/v1/tracks'))
      expect(await client.receiveResponse()).toMatchObject({ status: 200, body: 'final' })
    }
    expect(client.text()).not.toContain('HTTP/1.1 1')
    client.socket.destroy()
  })

  it('are not forwarded when each byte arrives separately', async () => {
    const text = `HTTP/1.1 100 Continue\r\nX: y\r\n\r\n${final}`
    const { core, port } = await startCoreAndGateway((socket) => {
      socket.setNoDelay(true)
      const write = (at: number): void => {
        if (at === text.length) return
        socket.write(text.charAt(at))
        setImmediate(write, at + 1)
      }
      write(0)
    })
    expect(await sendRaw(port, get('/v1/tracks'))).toMatchObject({ status: 200, body: 'final' })
    expect(core.requests).toHaveLength(1)
  })

  it('are not looked for inside a body', async () => {
    const looks = 'HTTP/1.1 100 Continue\r\n\r\n'
    const { port } = await startCoreAndGateway((socket) => {
      socket.write(`${head200}Content-Length: ${looks.length * 2}\r\n\r\n`)
      setTimeout(() => socket.write(looks), 20)
      setTimeout(() => socket.write(looks), 40)
    })
    expect((await sendRaw(port, get('/v1/tracks'))).body).toBe(looks + looks)
  })

  it('cause a 502 if one of them exceeds 16 KiB', async () => {
    const { port } = await startCoreAndGateway(bytes(`HTTP/1.1 100 Continue\r\nX: ${'a'.repeat(20_000)}`))
    expect((await sendRaw(port, get('/v1/tracks'))).status).toBe(502)
  })
})

describe('an incomplete core response', () => {
  it.each<[string, Reply]>([
    ['a reset inside a length', thenReset(`${head200}Content-Length: 100\r\n\r\nhalf`)],
    ['an end inside a length', thenEnd(`${head200}Content-Length: 100\r\n\r\nhalf`)],
    ['a reset inside chunks', thenReset(`${head200}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`)],
    ['an end inside chunks', thenEnd(`${head200}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`)],
    ...['-2', '0x2', '+2', ' 2', '2 ', '', 'FFFFFFFFFFFFFFFFF', '2\n', '2;\n'].map(
      (size): [string, Reply] => [
        `a chunk of size ${JSON.stringify(size)}`,
        bytes(`${head200}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n${size}\r\nok\r\n0\r\n\r\n`),
      ],
    ),
    [
      'a chunk longer than its size',
      bytes(`${head200}Transfer-Encoding: chunked\r\n\r\n4\r\nhalfXX0\r\n\r\n`),
    ],
    [
      'a length in trailers',
      bytes(`${head200}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\nContent-Length: 9\r\n\r\n`),
    ],
    [
      'trailers that do not end',
      thenEnd(`${head200}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\nX: y\r\n`),
    ],
    ['an invalid chunk size', bytes(`${head200}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nxyz\r\n`)],
    [
      'a reset of a response that ends with its connection',
      thenReset(`${head200}Connection: close\r\n\r\nhalf`),
    ],
    ['a stall', bytes(`${head200}Content-Length: 100\r\n\r\nhalf`)],
  ])("is forwarded as incomplete, and closes the client's connection: %s", async (_, reply) => {
    const { port, outcomes } = await startCoreAndGateway(reply, { timeoutMs: 200 })
    const client = await openRawClient(port)
    client.send(get('/v1/tracks'))
    const response = await client.receiveResponse()
    expect(response).toMatchObject({ status: 200, body: 'half', complete: false })
    await client.waitForClose()
    expect(outcomes).toEqual([{ kind: 'truncated', status: 200 }])
  })

  it('ends with a reset for an HTTP/1.0 client, because a close would mark it as complete', async () => {
    const { port } = await startCoreAndGateway(
      thenReset(`${head200}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`),
    )
    const client = await openRawClient(port)
    const reset = new Promise((resolve) => client.socket.once('error', resolve))
    client.send('GET /v1/tracks HTTP/1.0\r\nHost: api.example\r\n\r\n')
    expect(await reset).toMatchObject({ code: 'ECONNRESET' })
  })
})

describe('a core response without a length', () => {
  it('is forwarded as complete if it ends with the connection', async () => {
    const { port } = await startCoreAndGateway(thenEnd('HTTP/1.0 200 OK\r\n\r\nwhole'))
    expect(await sendRaw(port, get('/v1/tracks'))).toMatchObject({
      status: 200,
      body: 'whole',
      complete: true,
    })
  })
})
