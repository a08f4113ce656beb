import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { assignConnections } from '#db/client/pool.ts'

const openPool = (size: number, acquireTimeoutMs = 1000) => {
  let time = 0
  const pool = assignConnections({ size, acquireTimeoutMs, now: () => time })
  const advance = (ms: number) => {
    time += ms
  }
  return { ...pool, advance }
}

type TestPool = ReturnType<typeof openPool>
type Connection = Awaited<ReturnType<TestPool['acquireExclusive']>>

const acquireReads = async (pool: TestPool, count: number) => {
  const connections: Connection[] = []
  for (let read = 0; read < count; read += 1) connections.push(await pool.acquireShared())
  return connections
}
/** The number of each connection, in the order in which the pool added its connections. */
const numbersOf = (pool: TestPool, connections: readonly Connection[]) =>
  connections.map((connection) => [...pool.connections].indexOf(connection))
const isWaiting = (acquired: Connection | Promise<Connection>) => acquired instanceof Promise

describe('a connection pool', () => {
  it('reports how its connections are used, and how long callers have waited', async () => {
    const pool = openPool(1)
    const first = await pool.acquireExclusive()
    const second = pool.acquireExclusive()
    expect(pool.usage()).toMatchObject({ size: 1, inUse: 1, waiting: 1, acquireTimes: { count: 1, sum: 0 } })
    pool.advance(250)
    pool.releaseExclusive(first)
    pool.releaseExclusive(await second)
    expect(pool.usage()).toMatchObject({ inUse: 0, waiting: 0, acquireTimes: { count: 2, sum: 0.25 } })
  })

  it('gives each read its own connection until all are busy, and then shares the least used one', async () => {
    const pool = openPool(2)
    expect(numbersOf(pool, await acquireReads(pool, 6))).toEqual([0, 1, 0, 1, 0, 1])
  })

  it('sends no reads to the connection that is reserved for an exclusive waiter', async () => {
    const pool = openPool(2)
    const [first] = (await acquireReads(pool, 2)) as [Connection, Connection]
    const exclusive = pool.acquireExclusive()
    expect(numbersOf(pool, await acquireReads(pool, 3))).toEqual([1, 1, 1])
    pool.releaseShared(first)
    expect(await exclusive).toBe(first)
    pool.releaseExclusive(first)
    expect(numbersOf(pool, await acquireReads(pool, 4))).toEqual([0, 0, 0, 0])
  })

  it('serves an exclusive waiter even if all connections are full and new reads keep arriving', async () => {
    const pool = openPool(2)
    const [first] = (await acquireReads(pool, 32)) as [Connection]
    let exclusive: Connection | undefined
    const acquired = Promise.resolve(pool.acquireExclusive()).then((connection) => {
      exclusive = connection
    })
    for (let read = 0; read < 40 && !exclusive; read += 1) {
      pool.releaseShared(first)
      // This read may wait; the test does not need its connection.
      Promise.resolve(pool.acquireShared()).catch(() => undefined)
      await sleep(0)
    }
    expect(exclusive).toBe(first)
    await acquired
  })

  it('reserves a connection that makes progress rather than one with a slow read', async () => {
    const pool = openPool(2)
    const [, quick] = (await acquireReads(pool, 2)) as [Connection, Connection]
    pool.advance(15)
    // Both connections count as stalled until a read on the second one ends.
    const waiting = [pool.acquireShared(), pool.acquireShared()]
    pool.releaseShared(quick)
    await Promise.all(waiting)
    const exclusive = pool.acquireExclusive()
    const late = pool.acquireShared()
    expect(isWaiting(late)).toBe(true)
    pool.releaseShared(quick)
    pool.releaseShared(quick)
    // The read that arrived last waits until the exclusive use has ended.
    expect(await exclusive).toBe(quick)
    pool.releaseExclusive(quick)
    expect(await late).toBe(quick)
  })

  it('sends no more reads to a connection that makes no progress, even if it has only three reads', () => {
    const pool = openPool(1)
    const waiting = Array.from({ length: 8 }, () => {
      const acquired = pool.acquireShared()
      pool.advance(4)
      if (acquired instanceof Promise) acquired.catch(() => undefined)
      return isWaiting(acquired)
    })
    expect(waiting).toEqual([false, false, false, true, true, true, true, true])
  })

  it('lets all waiting reads share the connection that becomes free', async () => {
    const pool = openPool(1)
    const exclusive = await pool.acquireExclusive()
    const waiting = Promise.all([pool.acquireShared(), pool.acquireShared(), pool.acquireShared()])
    pool.releaseExclusive(exclusive)
    expect(numbersOf(pool, await waiting)).toEqual([0, 0, 0])
  })

  it('serves reads and exclusive waiters in order of arrival', async () => {
    const pool = openPool(1)
    const busy = await pool.acquireExclusive()
    const order: string[] = []
    const early = Promise.resolve(pool.acquireShared()).then((connection) => {
      order.push('read')
      return connection
    })
    const exclusive = Promise.resolve(pool.acquireExclusive()).then((connection) => {
      order.push('exclusive')
      return connection
    })
    pool.releaseExclusive(busy)
    const reading = await early
    const late = Promise.resolve(pool.acquireShared()).then(() => order.push('late read'))
    await sleep(5)
    expect(order).toEqual(['read'])
    pool.releaseShared(reading)
    pool.releaseExclusive(await exclusive)
    await late
    expect(order).toEqual(['read', 'exclusive', 'late read'])
  })

  it('rejects a waiter after the timeout, and leaves the connection to others', async () => {
    const pool = openPool(1, 20)
    const busy = await pool.acquireExclusive()
    await expect(pool.acquireExclusive()).rejects.toThrow('no connection became free within 20 ms')
    await expect(pool.acquireShared()).rejects.toThrow('no connection became free within 20 ms')
    pool.releaseExclusive(busy)
    expect(await pool.acquireExclusive()).toBe(busy)
  })

  it('lets a waiter wait on if the process was paused', async () => {
    const pool = openPool(1, 100)
    const busy = await pool.acquireExclusive()
    const waiting = pool.acquireExclusive()
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1200)
    await sleep(5)
    pool.releaseExclusive(busy)
    expect(await waiting).toBe(busy)
  })

  it('opens a new connection for a waiter when a connection is discarded', async () => {
    const pool = openPool(1)
    const [lost] = (await acquireReads(pool, 1)) as [Connection]
    const exclusive = pool.acquireExclusive()
    expect(pool.discard(lost)).toBe(true)
    expect(pool.discard(lost)).toBe(false)
    const next = await exclusive
    expect(next).not.toBe(lost)
    pool.releaseShared(lost)
    pool.releaseExclusive(next)
    expect(await pool.acquireShared()).toBe(next)
  })
})
