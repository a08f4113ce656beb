import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import { createEventQueue, type QueuedEvent } from '#gateway/adapters/event-queue.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

const unavailable = Object.assign(new postgres.PostgresError('missing table'), { code: '42P01' })
const visit = (trackId: string) => ({ ownerId: 'acct', type: 'track.played', trackId, linkId: 'l' }) as const
const ownerDownload = (trackId: string) => ({ ownerId: 'acct', type: 'track.downloaded', trackId }) as const
const createIds = (count: number) => Array.from({ length: count }, (_, n) => `${n}`)

const openQueue = (write: (events: readonly QueuedEvent[]) => Promise<void>, sizes = {}) => {
  let dropped = 0
  const queue = createEventQueue({
    store: {
      serialize: (event) => JSON.stringify(event),
      write: (events) => write(events.map((text) => JSON.parse(text))),
    },
    onDropped: (count) => {
      dropped += count
    },
    log: createRecordingLog(),
    retryMs: 5,
    gatherMs: 20,
    ...sizes,
  })
  return { queue, dropped: () => dropped }
}

describe('createEventQueue', () => {
  it('writes queued events in batches, in order and only once', async () => {
    const batches: string[][] = []
    const { queue, dropped } = openQueue(
      async (events) => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        batches.push(events.map(({ trackId = '' }) => trackId))
      },
      { batchSize: 4 },
    )
    await Promise.all(createIds(10).map((id) => queue.record(visit(id))))
    await queue.close()
    expect(batches.map(({ length }) => length)).toEqual([4, 4, 2])
    expect(batches.flat()).toEqual(createIds(10))
    expect(dropped()).toBe(0)
  })

  it('writes one visitor event immediately, several in a batch, and owner events without delay', async () => {
    const batches: number[] = []
    const { queue } = openQueue(
      async ({ length }) => {
        batches.push(length)
      },
      { gatherMs: 100_000 },
    )
    for (const id of createIds(5)) {
      await queue.record(visit(id))
      await sleep(1)
    }
    expect(batches).toEqual([1, 1, 1, 1, 1])
    for (const id of createIds(3)) await queue.record(visit(id))
    await sleep(30)
    expect(batches).toHaveLength(5)
    await queue.record(ownerDownload('own'))
    expect(batches.slice(5)).toEqual([4])
    for (const id of createIds(6)) {
      await queue.record(visit(id))
      await sleep(1)
    }
    await queue.close()
    expect(batches.slice(6)).toEqual([1, 1, 1, 1, 2])
  })

  it('retries with the same event ids while the database is unavailable', async () => {
    const attempts: string[][] = []
    const { queue, dropped } = openQueue(async (events) => {
      attempts.push(events.map(({ id }) => id))
      if (attempts.length < 4) throw unavailable
    })
    await queue.record(ownerDownload('one'))
    expect(attempts).toHaveLength(4)
    expect(new Set(attempts.flat()).size).toBe(1)
    expect(dropped()).toBe(0)
  })

  it('drops only the invalid event of a rejected batch', async () => {
    const written: string[] = []
    const { queue, dropped } = openQueue(async (events) => {
      const ids = events.map(({ trackId = '' }) => trackId)
      if (ids.includes('bad')) throw new Error('no such thing')
      written.push(...ids)
    })
    await Promise.all(['first', 'a', 'bad', 'b'].map((id) => queue.record(ownerDownload(id))))
    expect(written).toEqual(['first', 'a', 'b'])
    expect(dropped()).toBe(1)
  })

  it('retries the events of a rejected batch one by one without delay', async () => {
    let attempts = 0
    const { queue, dropped } = openQueue(
      async (events) => {
        attempts += 1
        if (events.some(({ trackId }) => trackId === '29')) throw new Error('no such thing')
      },
      { gatherMs: 100_000, batchSize: 30 },
    )
    await Promise.all(createIds(30).map((id) => queue.record(visit(id))))
    await expect.poll(() => attempts).toBe(31)
    expect(dropped()).toBe(1)
  })

  it('drops events beyond its capacity', async () => {
    const { queue, dropped } = openQueue(() => Promise.reject(unavailable), { capacity: 3 })
    const recorded = createIds(5).map((id) => queue.record(ownerDownload(id)))
    await Promise.all(recorded.slice(3))
    expect(dropped()).toBe(2)
    await queue.close()
    await Promise.all(recorded)
    expect(dropped()).toBe(5)
  })

  it('closes within its timeout and drops later events', async () => {
    const { queue, dropped } = openQueue(() => new Promise(() => {}))
    const recorded = queue.record(ownerDownload('one'))
    const before = performance.now()
    await queue.close(50)
    expect(performance.now() - before).toBeLessThan(1000)
    await recorded
    await queue.record(visit('two'))
    expect(dropped()).toBe(2)
  })
})
