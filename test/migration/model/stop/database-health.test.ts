import { beforeEach, describe, expect, it } from 'vitest'
import { type DatabaseState, PolledDatabaseHealth } from '#migration/model/stop/database-health.ts'

const usualMs = 2
const slowMs = 200
const minuteMs = 60_000
const lastsMs = 10_000

describe('the health of a polled database', () => {
  let now = 0
  let changes: DatabaseState[] = []
  let health: PolledDatabaseHealth
  beforeEach(() => {
    now = 0
    changes = []
    health = new PolledDatabaseHealth({ now: () => now, onChange: (state) => changes.push(state) })
  })
  const poll = (count: number, durationMs = usualMs, hasFailed = false) => {
    for (let polled = 0; polled < count; polled += 1) {
      now += 500
      health.recordPoll(durationMs, hasFailed)
    }
    return health.state()
  }

  it('is slow while the median of five polls is much longer than usual, and for ten seconds afterwards', () => {
    expect(poll(100)).toBe('normal')
    expect(poll(2, slowMs)).toBe('normal')
    expect(poll(1, slowMs)).toBe('slow')
    // The median is slow for the last time at the second of these polls.
    expect(poll(2 + (lastsMs - 500) / 500)).toBe('slow')
    expect(poll(1)).toBe('normal')
    expect(changes).toEqual(['slow', 'normal'])
  })

  it('is failing while polls fail, even before it knows the usual duration', () => {
    expect(poll(2)).toBe('normal')
    expect(poll(3, 1, true)).toBe('failing')
  })

  it('is normal while a busy machine delays the polls, and returns to normal ten seconds after polling stops', () => {
    poll(100)
    expect(poll(50, 100)).toBe('normal')
    expect(poll(5, slowMs)).toBe('slow')
    now += lastsMs
    expect(health.state()).toBe('normal')
  })

  it('is normal after a single poll that fails or is slow', () => {
    for (let round = 0; round < 20; round += 1) {
      poll(5)
      poll(1, 5000)
      expect(poll(1, 1, true)).toBe('normal')
    }
  })

  it('is normal if the database has always been slow', () => {
    expect(poll(1000, slowMs)).toBe('normal')
    expect(poll(5, slowMs * 1.5)).toBe('normal')
  })

  it('stays slow through a half-hour slowdown, and adapts to one that lasts over an hour', () => {
    poll(100)
    expect(poll((30 * minuteMs) / 500, slowMs)).toBe('slow')
    expect(poll((40 * minuteMs) / 500, slowMs)).toBe('normal')
    expect(poll((10 * minuteMs) / 500, slowMs)).toBe('normal')
    expect(poll(5, 6 * slowMs)).toBe('slow')
  })

  it('stays failing while the database fails', () => {
    poll(100)
    expect(poll((90 * minuteMs) / 500, 1, true)).toBe('failing')
  })
})
