import { describe, expect, it } from 'vitest'
import { get, openRawClient, sendRaw } from '#test/support/raw-client.ts'
import { bytes, type Reply, startRawCore } from '#test/support/raw-core.ts'
import { coreBehindGateway, startForwardingGateway, until } from './forwarding-gateway.ts'
import { head200, silent, thenEnd, thenReset } from './misbehaving-core.ts'

describe('a core that cannot be reached', () => {
  it('is reported as unavailable', async () => {
    const core = await startRawCore()
    await core.close()
    const gateway = await startForwardingGateway(core.url)
    const answer = await sendRaw(gateway.port, get('/v1/tracks'))
    expect(answer.status).toBe(503)
    expect(JSON.parse(answer.body)).toEqual({ error: 'core_unavailable' })
    await gateway.close()
  })

  it('is not asked again and again: the breaker answers at once and says when to come back', async () => {
    const core = await startRawCore()
    await core.close()
    const gateway = await startForwardingGateway(core.url)
    for (let attempt = 0; attempt < 5; attempt++) await sendRaw(gateway.port, get('/v1/tracks'))
    const answer = await sendRaw(gateway.port, get('/v1/tracks'))
    expect([answer.status, answer.header('retry-after')]).toEqual([503, '1'])
    expect(await gateway.transport.isReachable()).toBe(false)
    await gateway.close()
  })
})

describe('a core that stays silent', () => {
  it.each([
    ['nothing', silent],
    ['half a status line', bytes('HTTP/1.1 2')],
    [
      'interim answers without end',
      ((socket) => {
        const timer = setInterval(
          () => socket.write('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'),
          10,
        )
        socket.on('close', () => clearInterval(timer))
      }) as Reply,
    ],
  ])('is reported as a timeout after the deadline, having sent %s', async (_, reply) => {
    const { port } = await coreBehindGateway(reply, { timeoutMs: 400 })
    const from = performance.now()
    const answer = await sendRaw(port, get('/v1/tracks'))
    const took = performance.now() - from
    expect(answer.status).toBe(504)
    expect(JSON.parse(answer.body)).toEqual({ error: 'core_timeout' })
    expect(took).toBeGreaterThanOrEqual(395)
    // deadline-monitor.test.ts tests how late a deadline may be; here a busy machine may add to it.
    expect(took).toBeLessThan(10 * 400)
  })

  it('loses the connection, so that its late answer reaches nobody', async () => {
    const { core, port } = await coreBehindGateway(silent, { timeoutMs: 100 })
    await sendRaw(port, get('/v1/tracks'))
    await until(() => core.openConnections() === 0)
  })

  it('does not hold back the requests behind it for longer than their own deadline', async () => {
    const { port } = await coreBehindGateway(silent, { timeoutMs: 150, connections: 1 })
    const answers = await Promise.all([1, 2, 3].map(() => sendRaw(port, get('/v1/tracks'))))
    expect(answers.map(({ status }) => status)).toEqual([504, 504, 504])
  })
})

describe('a core that sends interim answers', () => {
  const final = `${head200}Content-Length: 5\r\n\r\nfinal`

  it.each([
    ['100', `HTTP/1.1 100 Continue\r\n\r\n${final}`],
    ['103 with headers', `HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n${final}`],
    [
      '102, 100 and 103',
      `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n${final}`,
    ],
  ])('is waited for: %s', async (_, text) => {
    const { port } = await coreBehindGateway(bytes(text))
    const client = await openRawClient(port)
    for (let round = 0; round < 3; round++) {
      client.send(get('/v1/tracks'))
      expect(await client.answer()).toMatchObject({ status: 200, body: 'final' })
    }
    expect(client.text()).not.toContain('HTTP/1.1 1')
    client.socket.destroy()
  })

  it('is waited for when every byte comes alone', async () => {
    const text = `HTTP/1.1 100 Continue\r\nX: y\r\n\r\n${final}`
    const { core, port } = await coreBehindGateway((socket) => {
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

  it('may send a body that looks like one', async () => {
    const looks = 'HTTP/1.1 100 Continue\r\n\r\n'
    const { port } = await coreBehindGateway((socket) => {
      socket.write(`${head200}Content-Length: ${looks.length * 2}\r\n\r\n`)
      setTimeout(() => socket.write(looks), 20)
      setTimeout(() => socket.write(looks), 40)
    })
    expect((await sendRaw(port, get('/v1/tracks'))).body).toBe(looks + looks)
  })

  it('still has to end its interim head before 16 KiB', async () => {
    const { port } = await coreBehindGateway(bytes(`HTTP/1.1 100 Continue\r\nX: ${'a'.repeat(20_000)}`))
    expect((await sendRaw(port, get('/v1/tracks'))).status).toBe(502)
  })
})

describe('a core that breaks off inside its answer', () => {
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
    ['a broken chunk', bytes(`${head200}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nxyz\r\n`)],
    [
      'a reset of an answer that ends with its connection',
      thenReset(`${head200}Connection: close\r\n\r\nhalf`),
    ],
    ['a stall', bytes(`${head200}Content-Length: 100\r\n\r\nhalf`)],
  ])('truncates the client and closes: %s', async (_, reply) => {
    const { port, outcomes } = await coreBehindGateway(reply, { timeoutMs: 200 })
    const client = await openRawClient(port)
    client.send(get('/v1/tracks'))
    const answer = await client.answer()
    expect(answer).toMatchObject({ status: 200, body: 'half', complete: false })
    await client.closed()
    expect(outcomes).toEqual([{ kind: 'truncated', status: 200 }])
  })

  it('resets an HTTP/1.0 client, for which an orderly close would be the end of the answer', async () => {
    const { port } = await coreBehindGateway(
      thenReset(`${head200}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`),
    )
    const client = await openRawClient(port)
    const reset = new Promise((resolve) => client.socket.once('error', resolve))
    client.send('GET /v1/tracks HTTP/1.0\r\nHost: api.example\r\n\r\n')
    expect(await reset).toMatchObject({ code: 'ECONNRESET' })
  })

  it('passes an answer on that properly ends with its connection', async () => {
    const { port } = await coreBehindGateway(thenEnd('HTTP/1.0 200 OK\r\n\r\nwhole'))
    expect(await sendRaw(port, get('/v1/tracks'))).toMatchObject({
      status: 200,
      body: 'whole',
      complete: true,
    })
  })
})
