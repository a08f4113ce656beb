import { beforeEach, describe, expect, it } from 'vitest'
import { createRequestRefresh } from '#gateway/routing/refresh-on-request.ts'
import { createRoutingState, type StoredRouting } from '#gateway/routing/routing-state.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

const settings = {
  GATEWAY_KILL: [],
  GATEWAY_ROUTES: [],
  GATEWAY_SECRET: 'sixteen-characters',
  CORE_BASE_URL: null,
}

describe('the routing state of an isolate', () => {
  let now: number
  let epoch: number
  let reads: number
  let isAvailable: boolean
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
    state = createRoutingState({ settings, handlers: {}, log, now: () => now })
    const read = async (): Promise<StoredRouting> => {
      reads += 1
      if (!isAvailable) throw new Error('unavailable')
      return { epoch, states: [], overrides: [] }
    }
    refresh = createRequestRefresh({
      state,
      read,
      inBackground: (work) => background.push(work),
      log,
      now: () => now,
    })
  })

  it('is read by the first request, which waits for it', async () => {
    await refresh()
    expect(state.current().epoch).toBe(1)
  })

  it('is used by other requests without waiting while it is new', async () => {
    await refresh()
    now += 3000
    expect(refresh()).toBeUndefined()
    expect(reads).toBe(1)
  })

  it('is read once in the background before it is too old', async () => {
    await refresh()
    epoch = 2
    now += 4000
    expect([refresh(), refresh()]).toEqual([undefined, undefined])
    await Promise.all(background)
    expect([reads, state.current().epoch]).toEqual([2, 2])
  })

  it('is read by a request that finds it too old', async () => {
    await refresh()
    epoch = 2
    now += 60_000
    await refresh()
    expect(state.current().epoch).toBe(2)
  })

  it('remains while the database is unavailable, for which at most one request a second waits', async () => {
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
})
