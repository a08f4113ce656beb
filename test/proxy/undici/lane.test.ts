import type { Dispatcher } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FairShares } from '#proxy/fair-shares.ts'
import { createLane, type LaneRequest } from '#proxy/undici/lane.ts'
import { openRawClient, type RawClient } from '#test/support/raw-client.ts'
import { replyOk, startRawCore } from '#test/support/raw-core.ts'
import { startCoreAndGateway, until } from '../forwarding-gateway.ts'

const startLane = async (
  connections: number,
  queue: number,
  pace: { readonly recentRequests?: number } = {},
) => {
  const pending: (() => void)[] = []
  const core = await startRawCore((socket, request) => {
    pending.push(() => replyOk(socket, request))
  })
  onTestFinished(() => core.close())
  const lane = createLane(core.url, {
    ...pace,
    connections,
    queue,
    extraConnections: new FairShares(0),
    connectTimeoutMs: 1000,
    onDominantClient: () => {},
  })
  const createRequest = (path: string, clientNetwork = path): LaneRequest => {
    const request: LaneRequest = {
      clientNetwork,
      route: 'unmatched',
      queueEntry: null,
      occupancy: null,
      undiciClient: null,
      dispatchedIn: null,
      dispatchOptions: { path, method: 'GET' } satisfies Dispatcher.DispatchOptions,
      onDequeued: () => {},
      onRequestStart: () => {},
      onResponseStart: () => {},
      onResponseData: () => {},
      onResponseEnd: () => lane.release(request),
      onResponseError: () => lane.releaseFailed(request),
    }
    return request
  }
  return {
    lane,
    createRequest,
    seenPaths: () => core.requests.map(({ target }) => target),
    respond: async () => {
      await until(() => pending.length > 0)
      pending.shift()?.()
    },
  }
}

describe("a lane's queue", () => {
  it('accepts a new request after queued ones are cancelled', async () => {
    const { lane, createRequest, seenPaths, respond } = await startLane(1, 2)
    const [first, second, third] = [createRequest('/1'), createRequest('/2'), createRequest('/3')]
    expect([first, second, third].map(lane.start)).toEqual(['dispatched', 'queued', 'queued'])
    expect(lane.start(createRequest('/rejected'))).toBe('rejected')
    lane.cancel(second)
    lane.cancel(third)
    expect([createRequest('/4'), createRequest('/5')].map(lane.start)).toEqual(['queued', 'queued'])
    expect(lane.start(createRequest('/rejected'))).toBe('rejected')
    for (let completed = 1; completed <= 3; completed++) {
      await respond()
      await until(() => seenPaths().length === Math.min(completed + 1, 3))
    }
    expect(seenPaths()).toEqual(['/1', '/4', '/5'])
  })

  it('ignores the cancellation of a request that is not queued', async () => {
    const { lane, createRequest, seenPaths, respond } = await startLane(1, 1)
    const [sent, waiting, rejected] = [
      createRequest('/sent'),
      createRequest('/waiting'),
      createRequest('/no'),
    ]
    expect([sent, waiting, rejected].map(lane.start)).toEqual(['dispatched', 'queued', 'rejected'])
    lane.cancel(sent)
    lane.cancel(rejected)
    expect(lane.start(createRequest('/no'))).toBe('rejected')
    await respond()
    await until(() => seenPaths().length === 2)
    lane.cancel(waiting)
    await respond()
    await until(() => lane.start(createRequest('/next')) !== 'rejected')
    await until(() => seenPaths().length === 3)
    expect(seenPaths()).toEqual(['/sent', '/waiting', '/next'])
  })

  it('serves its clients round-robin', async () => {
    const { lane, createRequest, seenPaths, respond } = await startLane(1, 100)
    lane.start(createRequest('/first', 'other'))
    for (const path of ['/a1', '/a2', '/a3']) lane.start(createRequest(path, 'a'))
    lane.start(createRequest('/b1', 'b'))
    lane.start(createRequest('/c1', 'c'))
    for (let completed = 1; completed <= 6; completed++) await respond()
    expect(seenPaths()).toEqual(['/first', '/a1', '/b1', '/c1', '/a2', '/a3'])
  })
})

it('reports how many requests wait for a slot', async () => {
  const { lane, createRequest } = await startLane(2, 10)
  for (const path of ['/1', '/2', '/3', '/4']) lane.start(createRequest(path))
  expect(lane.usage()).toMatchObject({ used: 2, capacity: 2, waiting: 2 })
})

describe("a lane's pace", () => {
  const paths = ['/1', '/2', '/3', '/4', '/5']

  it('makes requests wait only for event loop iterations, even if the core does not respond', async () => {
    const { lane, createRequest, seenPaths } = await startLane(10, 10, { recentRequests: 2 })
    const states = paths.map((path) => lane.start(createRequest(path)))
    expect(states).toEqual(['dispatched', 'dispatched', 'queued', 'queued', 'queued'])
    expect(lane.usage()).toMatchObject({ used: 2, waiting: 0 })
    await until(() => seenPaths().length === paths.length)
    expect(lane.usage()).toMatchObject({ used: 5, waiting: 0 })
  })

  it('rejects no request that has a slot', async () => {
    const { lane, createRequest, seenPaths } = await startLane(10, 1, { recentRequests: 2 })
    const states = paths.map((path) => lane.start(createRequest(path)))
    expect(states).not.toContain('rejected')
    await until(() => seenPaths().length === paths.length)
  })

  it('does not let a client that has filled its share of the queue overtake others', async () => {
    const { lane, createRequest } = await startLane(100, 8, { recentRequests: 1 })
    const dispatched: string[] = []
    const start = (path: string) => {
      const request = createRequest(path, path.slice(0, 2))
      request.onDequeued = () => dispatched.push(path)
      const state = lane.start(request)
      if (state === 'dispatched') dispatched.push(path)
      return state
    }
    start('/a0')
    const states = ['/a1', '/a2', '/a3', '/a4', '/b1', '/b2'].map(start)
    expect(states).toEqual(states.map(() => 'queued'))
    expect(start('/a5')).toBe('queued')
    expect(dispatched).toEqual(['/a0', '/a1', '/b1'])
    expect(start('/a6')).toBe('queued')
    expect(dispatched).toEqual(['/a0', '/a1', '/b1', '/a2'])
  })

  it('does not delay a request once earlier ones have ended', async () => {
    const { lane, createRequest, respond } = await startLane(10, 10, { recentRequests: 1 })
    const states: string[] = []
    const first = createRequest('/1')
    first.onResponseEnd = () => {
      lane.release(first)
      states.push(lane.start(createRequest('/2')))
    }
    states.push(lane.start(first))
    await respond()
    await until(() => states.length === 2)
    expect(states).toEqual(['dispatched', 'dispatched'])
  })
})

const upload = 'POST /v1/uploads HTTP/1.1\r\nHost: api.example\r\nContent-Length: 70000\r\n\r\npart'

const sendUploads = (port: number, count: number) =>
  Promise.all(
    Array.from({ length: count }, async (): Promise<RawClient> => {
      const client = await openRawClient(port)
      client.send(upload)
      return client
    }),
  )

describe('queued uploads', () => {
  it('are removed when their client disconnects', async () => {
    const { core, port, outcomes, gateway } = await startCoreAndGateway(() => {}, { queueTimeoutMs: 30_000 })
    // One client may use half of the 32 connections and half of the queue of 256.
    const holding = await sendUploads(port, 16)
    await until(() => core.requests.length === 16)
    const waiting = await sendUploads(port, 128)
    const [rejected] = await sendUploads(port, 1)
    expect((await rejected?.receiveResponse())?.status).toBe(503)

    for (const { socket } of waiting) socket.destroy()
    await until(() => outcomes.filter(({ kind }) => kind === 'client-gone').length === 128)
    core.nextReplies.push(replyOk)
    const received = new Promise((resolve) => gateway.edge.server.once('request', resolve))
    const [accepted] = await sendUploads(port, 1)
    accepted?.send('x'.repeat(69_996))
    await received
    holding[0]?.socket.destroy()
    expect((await accepted?.receiveResponse())?.status).toBe(200)
    expect(core.requests).toHaveLength(17)
    for (const { socket } of holding) socket.destroy()
  })
})
