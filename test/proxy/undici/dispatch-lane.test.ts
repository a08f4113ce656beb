import type { Dispatcher } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createLane, type LaneRequest } from '#proxy/undici/dispatch-lane.ts'
import { openRawClient, type RawClient } from '#test/support/raw-client.ts'
import { replyOk, startRawCore } from '#test/support/raw-core.ts'
import { startCoreAndGateway, until } from '../forwarding-gateway.ts'

/** A lane to a core that responds to one request each time `respond` is called. */
const startLane = async (connections: number, queue: number) => {
  const pending: (() => void)[] = []
  const core = await startRawCore((socket, request) => {
    pending.push(() => replyOk(socket, request))
  })
  onTestFinished(() => core.close())
  const lane = createLane(core.url, { connections, queue, connectTimeoutMs: 1000, maxHeaderBytes: 16_384 })
  const createRequest = (path: string): LaneRequest => ({
    queueEntry: null,
    dispatchOptions: { path, method: 'GET' } satisfies Dispatcher.DispatchOptions,
    onRequestStart: () => {},
    onResponseStart: () => {},
    onResponseData: () => {},
    onResponseEnd: () => lane.release(),
    onResponseError: () => lane.release(),
  })
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

describe('the queue of a lane', () => {
  it('accepts a new request after queued ones are cancelled', async () => {
    const { lane, createRequest, seenPaths, respond } = await startLane(1, 2)
    const [first, second, third] = [createRequest('/1'), createRequest('/2'), createRequest('/3')]
    expect([first, second, third].map(lane.start)).toEqual([true, true, true])
    expect(lane.start(createRequest('/rejected'))).toBe(false)
    lane.cancel(second)
    lane.cancel(third)
    expect([createRequest('/4'), createRequest('/5')].map(lane.start)).toEqual([true, true])
    expect(lane.start(createRequest('/rejected'))).toBe(false)
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
    expect([sent, waiting, rejected].map(lane.start)).toEqual([true, true, false])
    lane.cancel(sent)
    lane.cancel(rejected)
    expect(lane.start(createRequest('/no'))).toBe(false)
    await respond()
    await until(() => seenPaths().length === 2)
    lane.cancel(waiting)
    await respond()
    await until(() => lane.start(createRequest('/next')))
    await until(() => seenPaths().length === 3)
    expect(seenPaths()).toEqual(['/sent', '/waiting', '/next'])
  })
})

const upload =
  'POST /v1/uploads HTTP/1.1\r\nHost: api.example\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n'

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
    const { core, port, outcomes, gateway } = await startCoreAndGateway(() => {})
    const holding = await sendUploads(port, 32)
    await until(() => core.requests.length === 32)
    const waiting = await sendUploads(port, 256)
    const [rejected] = await sendUploads(port, 1)
    expect((await rejected?.receiveResponse())?.status).toBe(503)

    for (const { socket } of waiting) socket.destroy()
    await until(() => outcomes.filter(({ kind }) => kind === 'client-gone').length === 256)
    core.nextReplies.push(replyOk)
    const received = new Promise((resolve) => gateway.edge.server.once('request', resolve))
    const [accepted] = await sendUploads(port, 1)
    accepted?.send('0\r\n\r\n')
    await received
    holding[0]?.socket.destroy()
    expect((await accepted?.receiveResponse())?.status).toBe(200)
    expect(core.requests).toHaveLength(33)
    for (const { socket } of holding) socket.destroy()
  })
})
