import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { PollFreshness } from '#migration/control/poll-freshness.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const start = () => {
  let requested = 0
  const freshness = new PollFreshness({
    staleAfterMs: 5000,
    requestPoll: () => {
      requested += 1
    },
  })
  const { now } = freshness
  /** Advances the clock like a process that ticks and polls twice a second. */
  const run = (ms: number, poll: 'succeeds' | 'fails' | 'hangs' = 'succeeds') => {
    for (let at = 0; at < ms; at += 500) {
      vi.advanceTimersByTime(500)
      freshness.tick()
      if (poll !== 'hangs') freshness.recordPoll(now(), poll === 'fails')
    }
  }
  /** Advances the clock without ticks or polls, as if the process were suspended. */
  const pause = (ms: number) => vi.advanceTimersByTime(ms)
  const isFinished = async (wait: Promise<void> | null) => {
    let finished = false
    void wait?.then(() => {
      finished = true
    })
    await Promise.resolve()
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
    return finished
  }
  return { freshness, run, pause, now, isFinished, requested: () => requested }
}

it('the wait for a fresh poll does not delay requests while polls succeed', () => {
  const { freshness, run, requested } = start()
  run(60_000)
  expect([freshness.wait(), requested()]).toEqual([null, 0])
})

it('all requests wait for the same fresh poll after the process was paused', async () => {
  const { freshness, run, pause, now, isFinished, requested } = start()
  run(1000)
  pause(20_000)
  const wait = freshness.wait()
  expect(wait).toBeInstanceOf(Promise)
  freshness.tick()
  expect([freshness.wait() === wait, requested()]).toEqual([true, 1])
  expect(await isFinished(wait)).toBe(false)
  freshness.recordPoll(now(), false)
  expect(await isFinished(wait)).toBe(true)
  expect(freshness.wait()).toBeNull()
})

it('requests wait for a fresh poll after the machine slept, which stops the monotonic clock', async () => {
  const { freshness, run, now, isFinished } = start()
  run(1000)
  vi.setSystemTime(Date.now() + 20_000)
  const wait = freshness.wait()
  expect(wait).toBeInstanceOf(Promise)
  freshness.recordPoll(now(), false)
  expect(await isFinished(wait)).toBe(true)
  vi.setSystemTime(Date.now() - 20_000)
  expect(freshness.wait()).toBeNull()
  run(60_000)
  expect(freshness.wait()).toBeNull()
})

it.each([
  ['failed', true],
  ['succeeded', false],
])('a poll that started before the pause and %s after it does not end the wait', async (_, hasFailed) => {
  const { freshness, run, pause, now, isFinished } = start()
  run(1000)
  const startedAt = now()
  pause(20_000)
  freshness.recordPoll(startedAt, hasFailed)
  const wait = freshness.wait()
  expect(wait).toBeInstanceOf(Promise)
  freshness.recordPoll(startedAt, hasFailed)
  expect(await isFinished(wait)).toBe(false)
  freshness.recordPoll(now(), false)
  expect(await isFinished(wait)).toBe(true)
})

it('the wait for a fresh poll delays requests by at most half a second, and only once, while polls hang', async () => {
  const { freshness, run, isFinished } = start()
  run(1000)
  run(5000, 'hangs')
  expect(freshness.wait()).toBeNull()
  run(500, 'hangs')
  const wait = freshness.wait()
  vi.advanceTimersByTime(499)
  expect(await isFinished(wait)).toBe(false)
  vi.advanceTimersByTime(1)
  expect(await isFinished(wait)).toBe(true)
  for (let second = 0; second < 60; second += 1) {
    expect(freshness.wait()).toBeNull()
    run(1000, 'hangs')
  }
})

it('the wait for a fresh poll does not delay requests while polls fail, until the process is paused again', async () => {
  const { freshness, run, pause, now, isFinished } = start()
  run(1000)
  for (let second = 0; second < 60; second += 1) {
    run(1000, 'fails')
    expect(freshness.wait()).toBeNull()
  }
  pause(6000)
  const wait = freshness.wait()
  expect(wait).toBeInstanceOf(Promise)
  freshness.recordPoll(now(), true)
  expect(await isFinished(wait)).toBe(true)
  expect(freshness.wait()).toBeNull()
})

it('the wait for a fresh poll does not delay requests before the state has been read for the first time', () => {
  const { freshness, run, pause } = start()
  run(60_000, 'fails')
  expect(freshness.wait()).toBeNull()
  pause(20_000)
  expect(freshness.wait()).toBeNull()
})
