import { beforeEach, describe, expect, it } from 'vitest'
import { labelsOf } from '#contracts/shared/row.ts'
import { createRequestRefresh } from '#migration/control/refresh-on-request.ts'
import {
  createRoutingState,
  emptyStoredRouting,
  type StoredRouting,
} from '#migration/control/routing-state.ts'
import { handlers } from '#native-routes/index.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

const settings = {
  GATEWAY_KILL: [],
  GATEWAY_ROUTES: [],
  GATEWAY_SECRET: 'sixteen-characters',
  CORE_BASE_URL: ['http://core.test'],
}

const storedAt = (epoch: number): StoredRouting => ({ ...emptyStoredRouting, epoch })

describe('the routing state of an isolate', () => {
  let now: number
  let epoch: number
  let reads: number
  let isAvailable: boolean
  let read: (previous: StoredRouting | null, mustRead: boolean) => Promise<StoredRouting>
  let background: Promise<unknown>[]
  let refresh: () => Promise<void> | undefined
  let state: ReturnType<typeof createRoutingState>

  beforeEach(() => {
    now = 1_000_000
    epoch = 1
    reads = 0
    isAvailable = true
    background = []
    const log = createRecordingLog()
    state = createRoutingState({ settings, handled: labelsOf(handlers), log, now: () => now })
    read = async () => {
      reads += 1
      if (!isAvailable) throw new Error('unavailable')
      return storedAt(epoch)
    }
    refresh = createRequestRefresh({
      state,
      read: (...given) => read(...given),
      inBackground: (work) => background.push(work),
      log,
      now: () => now,
    })
  })

  it('is read by the first request, which waits for it', async () => {
    await refresh()
    expect(state.current().epoch).toBe(1)
  })

  it('is used by later requests, which do not wait while it is fresh', async () => {
    await refresh()
    now += 3000
    expect(refresh()).toBeUndefined()
    expect(reads).toBe(1)
  })

  it('is refreshed once in the background before it gets too old', async () => {
    await refresh()
    epoch = 2
    now += 4000
    expect([refresh(), refresh()]).toEqual([undefined, undefined])
    await Promise.all(background)
    expect([reads, state.current().epoch]).toEqual([2, 2])
  })

  it('is refreshed by a request that finds it too old', async () => {
    await refresh()
    epoch = 2
    now += 60_000
    await refresh()
    expect(state.current().epoch).toBe(2)
  })

  it('is kept while the database is down, and at most one request a second waits for a new one', async () => {
    await refresh()
    isAvailable = false
    now += 60_000
    await refresh()
    expect(refresh()).toBeUndefined()
    expect(state.current()).toMatchObject({ epoch: 1, isStale: true })
    isAvailable = true
    now += 1000
    await refresh()
    expect(state.current()).toMatchObject({ epoch: 1, isStale: false })
  })

  const sideOf = () => state.current().views.get('libraries.list')?.side

  it('is unknown until it is first read, and the core serves requests until then', async () => {
    isAvailable = false
    await refresh()
    expect(state.current()).toMatchObject({ isKnown: false, isStale: true })
    expect(sideOf()).toBe('core')
    isAvailable = true
    now += 1000
    await refresh()
    expect(state.current()).toMatchObject({ isKnown: true, isStale: false })
    expect(sideOf()).toBe('native')
  })

  it('delays a request by at most a second, and is adopted once it has been read', async () => {
    const reading = Promise.withResolvers<StoredRouting>()
    read = () => reading.promise
    await refresh()
    expect([sideOf(), refresh()]).toEqual(['core', undefined])
    reading.resolve(storedAt(1))
    await Promise.all(background)
    expect([sideOf(), state.current().isStale]).toEqual(['native', false])
  })

  it('has the highest epoch of several concurrent reads, whatever order they arrive in', async () => {
    for (const [first, second] of [
      [7, 8],
      [8, 7],
    ] as const) {
      now += 60_000
      const older = Promise.withResolvers<StoredRouting>()
      const newer = Promise.withResolvers<StoredRouting>()
      const arrivals = [older, newer]
      read = () => arrivals.shift()?.promise ?? Promise.reject(new Error('read too often'))
      const waiting = [refresh()]
      now += 10
      waiting.push(refresh())
      newer.resolve(storedAt(first))
      await waiting[1]
      older.resolve(storedAt(second))
      await waiting[0]
      expect(state.current().epoch).toBe(8)
    }
  })

  it('may have a lower epoch than before if the database was restored', async () => {
    epoch = 9
    await refresh()
    epoch = 4
    now += 60_000
    await refresh()
    expect(state.current().epoch).toBe(4)
  })

  it('is read again in full after a database outage, even if the epoch has not changed', async () => {
    const forced: boolean[] = []
    read = async (_previous, mustRead) => {
      forced.push(mustRead)
      if (forced.length === 2) throw new Error('unavailable')
      return storedAt(1)
    }
    for (let round = 0; round < 4; round += 1) {
      await refresh()
      now += 60_000
    }
    expect(forced).toEqual([false, false, true, false])
  })
})
