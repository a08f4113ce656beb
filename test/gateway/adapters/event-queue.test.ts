import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import { createEventQueue, type QueuedEvent } from '#gateway/adapters/event-queue.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

const away = Object.assign(new postgres.PostgresError('gone'), { code: '42P01' })
const visit = (trackId: string) => ({ ownerId: 'acct', type: 'track.played', trackId, linkId: 'l' }) as const
const ownersDownload = (trackId: string) => ({ ownerId: 'acct', type: 'track.downloaded', trackId }) as const
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `${n}`)

const open = (write: (events: readonly QueuedEvent[]) => Promise<void>, sizes = {}) => {
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

describe('the queue of events', () => {
  it('writes what comes while it is writing in batches, in order and once', async () => {
    const batches: string[][] = []
    const { queue, dropped } = open(
      async (events) => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        batches.push(events.map(({ trackId = '' }) => trackId))
      },
      { batchSize: 4 },
    )
    await Promise.all(numbered(10).map((id) => queue.record(visit(id))))
    await queue.close()
    expect(batches.map(({ length }) => length)).toEqual([4, 4, 2])
    expect(batches.flat()).toEqual(numbered(10))
    expect(dropped()).toBe(0)
  })

  it('writes what single visitors do at once, gathers when more do, and lets no owner wait', async () => {
    const batches: number[] = []
    const { queue } = open(
      async ({ length }) => {
        batches.push(length)
      },
      { gatherMs: 100_000 },
    )
    for (const id of numbered(5)) {
      await queue.record(visit(id))
      await sleep(1)
    }
    expect(batches).toEqual([1, 1, 1, 1, 1])
    for (const id of numbered(3)) await queue.record(visit(id))
    await sleep(30)
    expect(batches).toHaveLength(5)
    await queue.record(ownersDownload('own'))
    expect(batches.slice(5)).toEqual([4])
    for (const id of numbered(6)) {
      await queue.record(visit(id))
      await sleep(1)
    }
    await queue.close()
    expect(batches.slice(6)).toEqual([1, 1, 1, 1, 2])
  })

  it('waits for a database that is away, with the same ids, and then writes all of it', async () => {
    const attempts: string[][] = []
    const { queue, dropped } = open(async (events) => {
      attempts.push(events.map(({ id }) => id))
      if (attempts.length < 4) throw away
    })
    await queue.record(ownersDownload('one'))
    expect(attempts).toHaveLength(4)
    expect(new Set(attempts.flat()).size).toBe(1)
    expect(dropped()).toBe(0)
  })

  it('drops one event that nothing will take, and no other', async () => {
    const written: string[] = []
    const { queue, dropped } = open(async (events) => {
      const ids = events.map(({ trackId = '' }) => trackId)
      if (ids.includes('bad')) throw new Error('no such thing')
      written.push(...ids)
    })
    await Promise.all(['first', 'a', 'bad', 'b'].map((id) => queue.record(ownersDownload(id))))
    expect(written).toEqual(['first', 'a', 'b'])
    expect(dropped()).toBe(1)
  })

  it('tries what was refused one by one without waiting in between', async () => {
    let attempts = 0
    const { queue, dropped } = open(
      async (events) => {
        attempts += 1
        if (events.some(({ trackId }) => trackId === '29')) throw new Error('no such thing')
      },
      { gatherMs: 100_000, batchSize: 30 },
    )
    await Promise.all(numbered(30).map((id) => queue.record(visit(id))))
    await expect.poll(() => attempts).toBe(31)
    expect(dropped()).toBe(1)
  })

  it('takes no more than it has room for', async () => {
    const { queue, dropped } = open(() => Promise.reject(away), { capacity: 3 })
    const recorded = numbered(5).map((id) => queue.record(ownersDownload(id)))
    await Promise.all(recorded.slice(3))
    expect(dropped()).toBe(2)
    await queue.close()
    await Promise.all(recorded)
    expect(dropped()).toBe(5)
  })

  it('ends in time although nothing can be written, and takes nothing afterwards', async () => {
    const { queue, dropped } = open(() => new Promise(() => {}))
    const recorded = queue.record(ownersDownload('one'))
    const before = performance.now()
    await queue.close(50)
    expect(performance.now() - before).toBeLessThan(1000)
    await recorded
    await queue.record(visit('two'))
    expect(dropped()).toBe(2)
  })
})
