import { describe, expect, it, onTestFinished } from 'vitest'
import { FairShares } from '#proxy/fair-shares.ts'
import { createLane, type LaneRequest } from '#proxy/undici/lane.ts'
import { replyOk, startRawCore } from '#test/support/raw-core.ts'
import { until } from '../forwarding-gateway.ts'

const startLane = (url: string) => {
  const lane = createLane(url, {
    connections: 1,
    queue: 100,
    extraConnections: new FairShares(10),
    connectTimeoutMs: 1000,
    onDominantClient: () => {},
  })
  const results: string[] = []
  const start = (path: string) => {
    const request: LaneRequest = {
      clientNetwork: 'network',
      route: 'unmatched',
      queueEntry: null,
      occupancy: null,
      undiciClient: null,
      dispatchedIn: null,
      dispatchOptions: { path, method: 'GET' },
      onDequeued: () => {},
      onRequestStart: () => {},
      onResponseStart: () => {},
      onResponseData: () => {},
      onResponseEnd() {
        results.push(path)
        lane.release(request)
      },
      onResponseError() {
        results.push(`${path} failed`)
        lane.releaseFailed(request)
      },
    }
    return lane.start(request)
  }
  return { lane, start, results }
}

const startCoreAndLane = async () => {
  const core = await startRawCore()
  const started = startLane(core.url)
  onTestFinished(async () => {
    await started.lane.close()
    await core.close()
  })
  return { core, ...started }
}

describe('a lane with one connection', () => {
  it('sends queued requests on the same connection once the previous response has ended', async () => {
    const { core, lane, start, results } = await startCoreAndLane()
    const paths = Array.from({ length: 20 }, (_, index) => `/${index}`)
    for (const path of paths) start(path)
    await until(() => results.length === paths.length)
    expect(results).toEqual(paths)
    expect(core.received).toHaveLength(1)
    expect(lane.usage()).toMatchObject({ open: 1, connecting: 0, waiting: 0, used: 0 })
  })

  it('sends the next queued request on a new connection after a connection has failed', async () => {
    const { core, start, results } = await startCoreAndLane()
    core.nextReplies.push((socket) => socket.resetAndDestroy())
    for (const path of ['/1', '/2', '/3']) start(path)
    await until(() => results.length === 3)
    expect(results).toEqual(['/1 failed', '/2', '/3'])
    expect(core.requests.map(({ connection }) => connection)).toEqual([0, 1, 1])
  })

  it('sends a queued request on a new connection when the core closes the previous connection', async () => {
    const { core, start, results } = await startCoreAndLane()
    core.nextReplies.push((socket) => {
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok')
    })
    for (const path of ['/1', '/2', '/3']) start(path)
    await until(() => results.length === 3)
    expect(results).toEqual(['/1', '/2', '/3'])
    expect(core.requests.map(({ connection }) => connection)).toEqual([0, 1, 1])
  })

  it('never treats bytes after a response as the response to a queued request', async () => {
    const { core, start, results } = await startCoreAndLane()
    core.nextReplies.push((socket, request) => {
      replyOk(socket, request)
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged')
    })
    for (const path of ['/1', '/2']) start(path)
    await until(() => results.length === 2)
    expect(results).toEqual(['/1', '/2'])
    expect(core.requests.map(({ connection }) => connection)).toEqual([0, 1])
  })

  it('fails each queued request once while the core refuses connections', async () => {
    const core = await startRawCore()
    await core.close()
    const { lane, start, results } = startLane(core.url)
    for (const path of ['/1', '/2', '/3']) start(path)
    await until(() => results.length === 3)
    expect(results).toEqual(['/1 failed', '/2 failed', '/3 failed'])
    await lane.close()
    expect(lane.usage()).toMatchObject({ open: 0, used: 0, waiting: 0 })
  })

  it('closes once its running request has ended, and opens no connection for queued requests', async () => {
    const { core, lane, start, results } = await startCoreAndLane()
    const held = Promise.withResolvers<void>()
    core.nextReplies.push((socket, request) => held.promise.then(() => replyOk(socket, request)))
    for (const path of ['/1', '/2', '/3']) start(path)
    await until(() => core.requests.length === 1)
    const closed = lane.close()
    held.resolve()
    await closed
    expect(results).toEqual(['/1', '/2 failed', '/3 failed'])
    expect(core.received).toHaveLength(1)
    await until(() => core.openConnections() === 0)
  })
})
