import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createNativeGuard, type NativeGuard } from '#migration/control/guard.ts'
import { unmeasuredDatabase } from '#migration/model/stop/database-health.ts'
import { createRecordingLog, type RecordingLog } from '#test/support/recording-log.ts'
import { settledByNative } from '#test/support/settled.ts'

describe("a route's pause", () => {
  let now: number
  let guard: NativeGuard
  let log: RecordingLog
  const record = (served: number, fellBack: number) => {
    for (let count = 0; count < served; count += 1) guard.settled(settledByNative('libraries.list', 'served'))
    for (let count = 0; count < fellBack; count += 1)
      guard.settled(settledByNative('libraries.list', 'fell-back'))
  }
  const listChanges = () => log.lines.map(({ message, fields }) => [message, fields])

  beforeEach(() => {
    now = 1_000_000
    log = createRecordingLog()
    guard = createNativeGuard({
      steps: new Map(),
      evidenceKeys: new Map(),
      stored: null,
      health: unmeasuredDatabase,
      log,
      now: () => now,
    })
  })

  it('does not begin while at most a fifth of the requests fall back', () => {
    record(80, 20)
    expect(guard.isPaused('libraries.list')).toBe(false)
  })

  it('begins when more than a fifth of the requests fall back', () => {
    record(80, 21)
    expect(guard.isPaused('libraries.list')).toBe(true)
  })

  it('does not affect other routes', () => {
    record(0, 10)
    expect(guard.isPaused('libraries.create')).toBe(false)
  })

  it('is listed while it lasts', () => {
    expect(guard.listUntried()).toEqual([])
    record(0, 10)
    guard.settled(settledByNative('libraries.create', 'served'))
    expect(guard.listUntried()).toEqual(['libraries.list'])
    now += 10_000
    expect(guard.listUntried()).toEqual([])
  })

  it('does not begin below the minimum number of requests', () => {
    record(0, 5)
    expect(guard.isPaused('libraries.list')).toBe(false)
  })

  it('ignores fallbacks that are more than ten seconds old', () => {
    record(0, 4)
    now += 11_000
    record(0, 4)
    expect(guard.isPaused('libraries.list')).toBe(false)
  })

  it('does not begin if less than a fifth of the requests fall back', () => {
    record(30, 6)
    expect(guard.isPaused('libraries.list')).toBe(false)
  })

  it('begins even if the fallbacks are spread over the last ten seconds', () => {
    record(0, 3)
    now += 5000
    record(0, 3)
    expect(guard.isPaused('libraries.list')).toBe(true)
  })

  it('is logged once when it begins and once when it ends, with the counts of the last ten seconds', () => {
    record(3, 1)
    expect(listChanges()).toEqual([])
    record(0, 10)
    expect(listChanges()).toEqual([['route paused', { route: 'libraries.list', requests: 6, fallbacks: 3 }]])
    now += 10_000
    expect([guard.isPaused('libraries.list'), guard.isPaused('libraries.list')]).toEqual([false, false])
    for (const _ of [1, 2]) guard.settled(settledByNative('libraries.create', 'served'))
    expect(listChanges().slice(1)).toEqual([
      ['route pause ended', { route: 'libraries.list', requests: 0, fallbacks: 0 }],
    ])
  })

  it('is logged as ended before the next one begins', () => {
    record(0, 6)
    now += 10_000
    record(0, 6)
    expect(listChanges()).toMatchObject(
      ['route paused', 'route pause ended', 'route paused'].map((change) => [
        change,
        { route: 'libraries.list' },
      ]),
    )
    expect(guard.listUntried()).toEqual(['libraries.list'])
  })

  it('ends after ten seconds', () => {
    record(0, 10)
    now += 10_001
    expect(guard.isPaused('libraries.list')).toBe(false)
  })

  it("ends on time even if the machine's clock is set back", () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    try {
      guard = createNativeGuard({
        steps: new Map(),
        evidenceKeys: new Map(),
        stored: null,
        health: unmeasuredDatabase,
        log,
      })
      record(0, 10)
      expect(guard.isPaused('libraries.list')).toBe(true)
      vi.setSystemTime(Date.now() - 3_600_000)
      vi.advanceTimersByTime(10_000)
      expect(guard.isPaused('libraries.list')).toBe(false)
    } finally {
      vi.useRealTimers()
    }
  })
})
