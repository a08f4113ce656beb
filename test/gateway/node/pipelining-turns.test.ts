import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { get, openRawClient, post, type RawClient } from '#test/support/raw-client.ts'
import { startEdge } from './start-edge.ts'

const maxTakenFromOneRead = 64
const maxPipelinedPerTurn = 4

/** Counts the turns of the event loop. The returned function returns the number of the current turn. */
const countTurns = () => {
  let turn = 0
  let isOver = false
  const next = () => {
    turn += 1
    if (!isOver) setImmediate(next)
  }
  setImmediate(next)
  onTestFinished(() => {
    isOver = true
  })
  return () => turn
}

const largest = (counts: ReadonlyMap<unknown, number>) => Math.max(...counts.values())

const countBy = <Key>(keys: readonly Key[]) => {
  const counts = new Map<Key, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

const receive = async (client: RawClient, count: number, method = 'GET') => {
  const statuses: number[] = []
  for (let index = 0; index < count; index++) statuses.push((await client.receiveResponse(method)).status)
  return statuses
}

const ok = (outgoing: ServerResponse) => outgoing.writeHead(200, { 'content-length': 2 }).end('ok')

const startRecording = async () => {
  const turn = countTurns()
  const served: { readonly socket: Socket; readonly turn: number; readonly path: string }[] = []
  const { port } = await startEdge({
    onRequest: (incoming, outgoing, { target }) => {
      served.push({ socket: incoming.socket, turn: turn(), path: target.path })
      incoming.resume()
      ok(outgoing)
    },
  })
  return { port, served }
}

describe('a turn of the event loop', () => {
  it('serves at most one request per connection', async () => {
    const { port, served } = await startRecording()
    const clients = await Promise.all(Array.from({ length: 5 }, () => openRawClient(port)))
    for (const client of clients) client.send(get('/a').repeat(100))
    await Promise.all(clients.map((client) => receive(client, 100)))
    for (const socket of new Set(served.map((each) => each.socket))) {
      const turns = served.filter((each) => each.socket === socket).map(({ turn }) => turn)
      expect(turns).toHaveLength(100)
      expect(largest(countBy(turns))).toBe(1)
    }
    for (const { socket } of clients) socket.destroy()
  })

  it('serves at most one request per connection even if each request fills a whole read', async () => {
    const { port, served } = await startRecording()
    const client = await openRawClient(port)
    const message = head65536()
    client.send(message.repeat(30))
    expect(await receive(client, 30)).toEqual(Array(30).fill(200))
    expect(largest(countBy(served.map(({ turn }) => turn)))).toBe(1)
    client.socket.destroy()
  })

  it('gives a client precedence over requests pipelined on a hundred other connections', async () => {
    const { port, served } = await startRecording()
    const flooding = await Promise.all(Array.from({ length: 100 }, () => openRawClient(port)))
    const honest = await openRawClient(port, '127.0.0.2')
    honest.send(get('/accepted'))
    await honest.receiveResponse()
    for (const client of flooding) client.send(get('/flood').repeat(50))
    honest.send(get('/honest'))
    const responses = flooding.map((client) => receive(client, 50))
    expect((await honest.receiveResponse()).status).toBe(200)
    await Promise.all(responses)

    const firstOfSocket = new Set<Socket>()
    const pipelined = served.filter(({ socket, path }) => {
      if (path !== '/flood') return false
      const isFirst = !firstOfSocket.has(socket)
      firstOfSocket.add(socket)
      return !isFirst
    })
    expect(pipelined).toHaveLength(100 * 49)
    expect(largest(countBy(pipelined.map(({ turn }) => turn)))).toBeLessThanOrEqual(maxPipelinedPerTurn)
    const honestTurn = served.find(({ path }) => path === '/honest')!.turn
    const before = served.filter(({ turn }) => turn < honestTurn)
    expect(largest(countBy(before.map(({ socket }) => socket)))).toBeLessThan(10)
    for (const { socket } of [...flooding, honest]) socket.destroy()
  })

  it('serves a request that is not pipelined as soon as it arrives', async () => {
    const turn = countTurns()
    const arrivals: (readonly [number, number])[] = []
    let arrivedAt = 0
    const { edge, port } = await startEdge({
      onRequest: (_incoming, outgoing) => {
        arrivals.push([arrivedAt, turn()])
        ok(outgoing)
      },
    })
    edge.server.prependListener('request', () => {
      arrivedAt = turn()
    })
    const client = await openRawClient(port)
    for (let index = 0; index < 10; index++) {
      client.send(get('/a'))
      await client.receiveResponse()
    }
    expect(arrivals).toHaveLength(10)
    for (const [arrived, served] of arrivals) expect(served).toBe(arrived)
    client.socket.destroy()
  })
})

// A request of exactly 64 KiB, so one read can contain its head and its whole body.
const head65536 = () => {
  const empty = post('/a', '').replace('Content-Length: 0', 'Content-Length: 65000')
  return empty.padEnd(65_536, 'x').replace('65000', String(65_536 - empty.length))
}

/**
 * Starts a server that does not respond to the first request until `release` is called, but immediately to the others.
 * The header `x-length` is the length of the request's body.
 */
const startHolding = async (headersTimeoutMs = 10_000) => {
  const released = Promise.withResolvers<void>()
  const served: string[] = []
  let taken = 0
  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method, url } = incoming
    if (served.push(`${method} ${url}`) === 1) await released.promise
    let length = 0
    for await (const chunk of incoming) length += chunk.length
    outgoing.setHeader('x-length', length)
    ok(outgoing)
  }
  const { edge, port } = await startEdge({ headersTimeoutMs, onRequest: respond })
  edge.server.on('request', () => {
    taken += 1
  })
  return { port, served, edge, taken: () => taken, release: released.resolve }
}

describe('requests that arrive in one read', () => {
  it('are taken a few at a time, and the connection stays usable', async () => {
    const { port, taken, release } = await startHolding()
    const client = await openRawClient(port)
    client.send(get('/a').repeat(1500))
    await expect.poll(taken).toBeGreaterThan(1)
    await sleep(100)
    expect(taken()).toBeLessThanOrEqual(maxTakenFromOneRead)
    release()
    expect(new Set(await receive(client, 1500))).toEqual(new Set([200]))
    client.send(get('/b'))
    expect(await receive(client, 1)).toEqual([200])
    client.socket.destroy()
  })

  it('keep their order and their bodies wherever the parser pauses', async () => {
    const messages = {
      'GET /a': get('/a'),
      'POST /b': post('/b', 'x'.repeat(5)),
      'POST /c':
        'POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n',
      'HEAD /d': get('/d').replace('GET', 'HEAD'),
      'POST /e': post('/e', ''),
    }
    const names = Object.keys(messages) as (keyof typeof messages)[]
    const lengths: Readonly<Record<string, string>> = { 'POST /b': '5', 'POST /c': '7' }
    for (let first = 1; first <= 40; first++) {
      const { port, served, release } = await startHolding()
      const client = await openRawClient(port)
      const sent = [...Array<'GET /a'>(first).fill('GET /a'), ...names, ...names, ...names]
      client.send(sent.map((name) => messages[name]).join(''))
      release()
      const received: (string | undefined)[] = []
      for (const name of sent)
        received.push((await client.receiveResponse(name.split(' ')[0])).header('x-length'))
      expect(served).toEqual(sent)
      expect(received).toEqual(sent.map((name) => lengths[name] ?? '0'))
      client.socket.destroy()
    }
  })

  it('are all served to a client that has closed its sending side', async () => {
    const { port, release } = await startHolding()
    const client = await openRawClient(port)
    client.socket.end(get('/a').repeat(100))
    release()
    expect(await receive(client, 100)).toEqual(Array(100).fill(200))
    await client.waitForClose()
  })

  it('are served even if the incomplete head after them exceeds the head timeout', async () => {
    const { port, release } = await startHolding(300)
    const client = await openRawClient(port)
    client.send(get('/a').repeat(40) + get('/b').slice(0, 10))
    await sleep(1500)
    release()
    expect(await receive(client, 40)).toEqual(Array(40).fill(200))
    client.send(get('/b').slice(10))
    expect(await receive(client, 1)).toEqual([200])
    client.socket.destroy()
  })

  it('are served without an extra response for trailing bytes that are not a request', async () => {
    const { port, release } = await startHolding()
    const client = await openRawClient(port)
    client.send(`${get('/a').repeat(50)}nonsense\r\n\r\n`)
    release()
    const text = await client.waitForClose()
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(50)
    expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(50)
  })

  it('are served before a CONNECT that follows them is rejected', async () => {
    const { port, release } = await startHolding()
    const client = await openRawClient(port)
    client.send(`${get('/a').repeat(50)}CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n`)
    release()
    const text = await client.waitForClose()
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(50)
    expect(text.match(/HTTP\/1\.1 405/g)).toHaveLength(1)
  })

  it('are served up to and including the first that asks for an upgrade', async () => {
    const { port, release } = await startHolding()
    const client = await openRawClient(port)
    const upgrade = get('/u', 'Connection: Upgrade', 'Upgrade: websocket')
    client.send(get('/a').repeat(20) + upgrade.repeat(40) + get('/a').repeat(100))
    release()
    const text = await client.waitForClose()
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(21)
  })

  it('are dropped when their connection is reset, and none is served on another connection', async () => {
    const { port, served, taken, release } = await startHolding()
    const aborting = await openRawClient(port)
    aborting.send(get('/aborted').repeat(500))
    await expect.poll(taken).toBeGreaterThan(16)
    aborting.socket.resetAndDestroy()
    const others = await Promise.all(Array.from({ length: 20 }, () => openRawClient(port)))
    for (const other of others) other.send(get('/other').repeat(100))
    for (const other of others) expect(await receive(other, 100)).toEqual(Array(100).fill(200))
    release()
    await sleep(100)
    expect(served.filter((each) => each === 'GET /other')).toHaveLength(2000)
    expect(served.filter((each) => each === 'GET /aborted').length).toBeLessThan(64)
    for (const { socket } of others) socket.destroy()
  })

  it('are all served to a client that reads large responses slowly', { timeout: 30_000 }, async () => {
    const body = Buffer.alloc(400_000, 'x')
    const { port } = await startEdge({
      onRequest: (_incoming, outgoing) => outgoing.end(body),
    })
    const client = await openRawClient(port)
    let received = 0
    client.socket.removeAllListeners('data')
    client.socket.on('data', (chunk) => {
      received += chunk.length
      client.socket.pause()
      setImmediate(() => client.socket.resume())
    })
    client.send(get('/a').repeat(60))
    await sleep(50)
    client.send(get('/a').repeat(60))
    await expect.poll(() => received, { timeout: 20_000 }).toBeGreaterThanOrEqual(120 * body.length)
    client.socket.destroy()
  })
})
