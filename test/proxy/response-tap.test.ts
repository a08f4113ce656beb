import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { CoreResponse } from '#proxy/core-response.ts'
import { get, openRawClient, post, sendRaw } from '#test/support/raw-client.ts'
import { bytes, type Reply, replyOk } from '#test/support/raw-core.ts'
import { startCoreAndGateway, until } from './forwarding-gateway.ts'
import { head200, silent, thenEnd, thenReset } from './misbehaving-core.ts'

const startTapped = async (reply: Reply, options: Parameters<typeof startCoreAndGateway>[1] = {}) => {
  const copies: CoreResponse[] = []
  const tapOf = () => (response: CoreResponse) => {
    copies.push(response)
    return undefined
  }
  return { copies, ...(await startCoreAndGateway(reply, { tapOf, ...options })) }
}

const gzipped = gzipSync('the text of a response')

describe("a forwarded request's tap", () => {
  it.each<[string, Reply, string]>([
    ['with a length', bytes(`${head200}Content-Length: 4\r\n\r\nbody`), 'body'],
    [
      'in chunks',
      bytes(`${head200}Transfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n`),
      'body',
    ],
    ['that ends with its connection', thenEnd(`${head200}\r\nbody`), 'body'],
    ['without a body', bytes(`${head200}Content-Length: 0\r\n\r\n`), ''],
    [
      'with trailers',
      bytes(`${head200}Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\nX-Checksum: 1\r\n\r\n`),
      'body',
    ],
    [
      'after interim responses',
      bytes(
        `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${head200}Content-Length: 4\r\n\r\nbody`,
      ),
      'body',
    ],
    [
      'in gzip, without decompressing it',
      (socket) => {
        socket.write(`${head200}Content-Encoding: gzip\r\nContent-Length: ${gzipped.length}\r\n\r\n`)
        socket.write(gzipped)
      },
      gzipped.toString('latin1'),
    ],
  ])('gets one copy of a response %s', async (_, reply, body) => {
    const { copies, port } = await startTapped(reply)
    const response = await sendRaw(port, get('/v1/tracks'))
    expect(response.body).toBe(body)
    expect(copies.map((copy) => [copy.status, copy.body?.toString('latin1')])).toEqual([[200, body]])
  })

  it.each([
    ['204', 'GET', 'HTTP/1.1 204 No Content\r\n\r\n', 204],
    ['304', 'GET', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n', 304],
    ['HEAD', 'HEAD', `${head200}Content-Length: 4\r\n\r\n`, 200],
  ])('gets an empty body for %s', async (_, method, head, status) => {
    const { copies, port } = await startTapped(bytes(head))
    await sendRaw(port, get('/v1/tracks').replace('GET', method), method)
    expect(copies.map((copy) => [copy.status, copy.body?.length])).toEqual([[status, 0]])
  })

  it('gets all headers as the core sent them', async () => {
    const { copies, port } = await startTapped(
      bytes(
        `${head200}Set-Cookie: a=1\r\nConnection: keep-alive\r\nset-cookie: b=2\r\nContent-Length: 0\r\n\r\n`,
      ),
    )
    await sendRaw(port, get('/v1/tracks'))
    expect(copies[0]?.headers).toEqual([
      ...['Set-Cookie', 'a=1', 'Connection', 'keep-alive', 'set-cookie', 'b=2', 'Content-Length', '0'],
    ])
  })

  it('gets the responses to requests that stream a body', async () => {
    const { copies, port } = await startTapped(replyOk, { bodyLimit: 10 })
    await sendRaw(port, post('/v1/uploads', 'x'.repeat(100)))
    expect(copies.map(({ body }) => String(body))).toEqual(['ok'])
  })

  it.each([
    [65_536, 65_536],
    [65_537, undefined],
  ])('gets no copy of a body over 64 KiB: %i bytes sent, %s copied', async (sent, copied) => {
    const { copies, port } = await startTapped(
      bytes(`${head200}Content-Length: ${sent}\r\n\r\n${'x'.repeat(sent)}`),
    )
    expect((await sendRaw(port, get('/v1/tracks'))).body).toHaveLength(sent)
    expect(copies.map(({ body }) => body?.length)).toEqual([copied])
  })

  it('gets the body in a buffer that contains nothing else', async () => {
    const chunks = '3\r\nabc\r\n'.repeat(1000)
    const { copies, port } = await startTapped((socket) => {
      socket.write(`${head200}Transfer-Encoding: chunked\r\n\r\n${chunks.slice(0, 2003)}`)
      setTimeout(() => socket.write(`${chunks.slice(2003)}0\r\n\r\n`), 20)
    })
    await sendRaw(port, get('/v1/tracks'))
    expect(copies[0]?.body?.toString()).toBe('abc'.repeat(1000))
    expect(copies[0]?.body?.buffer.byteLength).toBe(3000)
  })

  it('gets the times until the head and until the end of the response', async () => {
    const { copies, port } = await startTapped((socket) => {
      setTimeout(() => socket.write(`${head200}Content-Length: 2\r\n\r\no`), 100)
      setTimeout(() => socket.write('k'), 200)
    })
    await sendRaw(port, get('/v1/tracks'))
    const [{ timeToHeadMs = 0, durationMs = 0 } = {}] = copies
    expect(timeToHeadMs).toBeGreaterThan(95)
    expect(durationMs - timeToHeadMs).toBeGreaterThan(50)
  })

  it('gets times measured from the dispatch, not from the arrival in the queue', async () => {
    const { copies, core, port } = await startTapped(replyOk, { connections: 1 })
    core.nextReplies.push((socket, request) => {
      setTimeout(() => replyOk(socket, request), 800)
    })
    const first = sendRaw(port, get('/v1/tracks'))
    await until(() => core.requests.length === 1)
    await Promise.all([first, sendRaw(port, get('/v1/tracks'))])
    expect(copies[0]?.durationMs).toBeGreaterThan(750)
    expect(copies[1]?.timeToHeadMs).toBeLessThan(700)
  })

  it('does not affect the request when it throws', async () => {
    const { core, port, outcomes } = await startTapped(replyOk, {
      connections: 1,
      tapOf: () => () => {
        throw new Error('a bug of the tap')
      },
    })
    const client = await openRawClient(port)
    for (let round = 0; round < 2; round += 1) {
      client.send(get('/v1/tracks'))
      expect(await client.receiveResponse()).toMatchObject({ status: 200, body: 'ok' })
    }
    expect(outcomes.map(({ kind }) => kind)).toEqual(['completed', 'completed'])
    expect(core.received).toHaveLength(1)
    client.socket.destroy()
  })

  it("gets only the retry's response", async () => {
    const { copies, core, port } = await startTapped(replyOk, { retryable: true })
    core.nextReplies.push(thenReset(''))
    await sendRaw(port, get('/v1/tracks'))
    expect(copies.map(({ body }) => String(body))).toEqual(['ok'])
  })
})

describe('the tap is not called', () => {
  it.each<[string, Reply]>([
    ['breaks off inside the body', thenReset(`${head200}Content-Length: 9\r\n\r\nhalf`)],
    ['ends inside the body', thenEnd(`${head200}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`)],
    ['resets a close-delimited response', thenReset(`${head200}\r\nhalf`)],
    ['stalls inside the body', bytes(`${head200}Content-Length: 9\r\n\r\nhalf`)],
    ['sends only interim responses', thenEnd('HTTP/1.1 103 Early Hints\r\n\r\n')],
    ['sends a head that cannot be forwarded', bytes('HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok')],
    ['sends nothing', silent],
  ])('when the core %s', async (_, reply) => {
    const { copies, port, outcomes } = await startTapped(reply, { timeoutMs: 200 })
    await sendRaw(port, get('/v1/tracks')).catch(() => {})
    await until(() => outcomes.length === 1)
    expect(outcomes[0]?.kind).not.toBe('completed')
    expect(copies).toEqual([])
  })

  it('when the client disconnects before the end', async () => {
    let finish = () => {}
    const { copies, port, outcomes } = await startTapped((socket) => {
      socket.write(`${head200}Content-Length: 8\r\n\r\nhalf`)
      finish = () => socket.write('half')
    })
    const client = await openRawClient(port)
    client.send(get('/v1/tracks'))
    await until(() => client.text().includes('half'))
    client.socket.destroy()
    await until(() => outcomes.length === 1)
    finish()
    expect([outcomes, copies]).toEqual([[{ kind: 'client-gone' }], []])
  })
})
