import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createConnectionQueue, type QueuedConnection } from '#db/client/connection-queue.ts'

interface TestConnection extends QueuedConnection {
  readonly number: number
}

/** A queue with a clock that only `advance` moves. */
const openQueue = (size: number, acquireTimeoutMs = 1000) => {
  let opened = 0
  let time = 0
  const queue = createConnectionQueue<TestConnection>({
    open: () => ({ number: opened++, reads: 0, lastProgressAt: 0, reserved: false }),
    size,
    acquireTimeoutMs,
    now: () => time,
  })
  const advance = (ms: number) => {
    time += ms
  }
  return { ...queue, advance }
}

type Queue = ReturnType<typeof openQueue>

/** Acquires connections for this many reads, one after the other. */
const acquireReads = async (queue: Queue, count: number) => {
  const connections: TestConnection[] = []
  for (let read = 0; read < count; read += 1) connections.push(await queue.acquireShared())
  return connections
}
const numbersOf = (connections: readonly TestConnection[]) => connections.map(({ number }) => number)
const isWaiting = (acquired: TestConnection | Promise<TestConnection>) => acquired instanceof Promise

describe('the connection queue', () => {
  it('reports how its connections are used, and how long callers have waited', async () => {
    const queue = openQueue(1)
    const first = await queue.acquireExclusive()
    const second = queue.acquireExclusive()
    expect(queue.usage()).toMatchObject({ size: 1, inUse: 1, waiting: 1, acquireTimes: { count: 1, sum: 0 } })
    queue.advance(250)
    queue.releaseExclusive(first)
    queue.releaseExclusive(await second)
    expect(queue.usage()).toMatchObject({ inUse: 0, waiting: 0, acquireTimes: { count: 2, sum: 0.25 } })
  })

  it('gives each read its own connection until all are busy, then shares the least used one', async () => {
    expect(numbersOf(await acquireReads(openQueue(2), 6))).toEqual([0, 1, 0, 1, 0, 1])
  })

  it('sends no read to the connection that an exclusive waiter gets next', async () => {
    const queue = openQueue(2)
    const [first] = (await acquireReads(queue, 2)) as [TestConnection, TestConnection]
    const exclusive = queue.acquireExclusive()
    expect(numbersOf(await acquireReads(queue, 3))).toEqual([1, 1, 1])
    queue.releaseShared(first)
    expect(await exclusive).toBe(first)
    queue.releaseExclusive(first)
    expect(numbersOf(await acquireReads(queue, 4))).toEqual([0, 0, 0, 0])
  })

  it('serves an exclusive waiter although all connections are full and new reads arrive all the time', async () => {
    const queue = openQueue(2)
    const [first] = (await acquireReads(queue, 32)) as [TestConnection]
    let exclusive: TestConnection | undefined
    const acquired = Promise.resolve(queue.acquireExclusive()).then((connection) => {
      exclusive = connection
    })
    for (let read = 0; read < 40 && !exclusive; read += 1) {
      queue.releaseShared(first)
      // Waits until it is admitted; no test of this queue needs the connection it gets.
      Promise.resolve(queue.acquireShared()).catch(() => undefined)
      await sleep(0)
    }
    expect(exclusive).toBe(first)
    await acquired
  })

  it('reserves a connection with progress rather than one with a slow read', async () => {
    const queue = openQueue(2)
    const [, quick] = (await acquireReads(queue, 2)) as [TestConnection, TestConnection]
    queue.advance(15)
    // Both are stalled now, until one read of the second ends.
    const waiting = [queue.acquireShared(), queue.acquireShared()]
    queue.releaseShared(quick)
    await Promise.all(waiting)
    const exclusive = queue.acquireExclusive()
    const late = queue.acquireShared()
    expect(isWaiting(late)).toBe(true)
    queue.releaseShared(quick)
    queue.releaseShared(quick)
    // The read that arrived last waits behind the exclusive use.
    expect(await exclusive).toBe(quick)
    queue.releaseExclusive(quick)
    expect(await late).toBe(quick)
  })

  it('sends no more reads to a connection without progress, however many it has', () => {
    const queue = openQueue(1)
    const waiting = Array.from({ length: 8 }, () => {
      const acquired = queue.acquireShared()
      queue.advance(4)
      if (acquired instanceof Promise) acquired.catch(() => undefined)
      return isWaiting(acquired)
    })
    expect(waiting).toEqual([false, false, false, true, true, true, true, true])
  })

  it('lets all waiting reads share the connection that becomes free', async () => {
    const queue = openQueue(1)
    const exclusive = await queue.acquireExclusive()
    const waiting = Promise.all([queue.acquireShared(), queue.acquireShared(), queue.acquireShared()])
    queue.releaseExclusive(exclusive)
    expect(numbersOf(await waiting)).toEqual([0, 0, 0])
  })

  it('serves reads and exclusive waiters in the order of arrival', async () => {
    const queue = openQueue(1)
    const busy = await queue.acquireExclusive()
    const order: string[] = []
    const early = Promise.resolve(queue.acquireShared()).then((connection) => {
      order.push('read')
      return connection
    })
    const exclusive = Promise.resolve(queue.acquireExclusive()).then((connection) => {
      order.push('exclusive')
      return connection
    })
    queue.releaseExclusive(busy)
    const reading = await early
    const late = Promise.resolve(queue.acquireShared()).then(() => order.push('late read'))
    await sleep(5)
    expect(order).toEqual(['read'])
    queue.releaseShared(reading)
    queue.releaseExclusive(await exclusive)
    await late
    expect(order).toEqual(['read', 'exclusive', 'late read'])
  })

  it('rejects a waiter after the timeout and leaves the connection to others', async () => {
    const queue = openQueue(1, 20)
    const busy = await queue.acquireExclusive()
    await expect(queue.acquireExclusive()).rejects.toThrow('no connection became free within 20 ms')
    await expect(queue.acquireShared()).rejects.toThrow('no connection became free within 20 ms')
    queue.releaseExclusive(busy)
    expect(await queue.acquireExclusive()).toBe(busy)
  })

  it('opens a new connection for a waiter when one is discarded', async () => {
    const queue = openQueue(1)
    const [lost] = (await acquireReads(queue, 1)) as [TestConnection]
    const exclusive = queue.acquireExclusive()
    expect(queue.discard(lost)).toBe(true)
    expect(queue.discard(lost)).toBe(false)
    expect((await exclusive).number).toBe(1)
    queue.releaseShared(lost)
    queue.releaseExclusive(await exclusive)
    expect(numbersOf(await acquireReads(queue, 1))).toEqual([1])
  })
})
