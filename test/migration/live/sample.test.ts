import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createRouteRate, createSampleRate } from '#migration/live/sample.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

it('a sample rate allows a limited number of attempts per second, and does not count checks as attempts', () => {
  const limit = createSampleRate(2)
  expect([limit.isExhausted(), limit.isExhausted(), limit.isExhausted()]).toEqual([false, false, false])
  expect([limit.take(), limit.take(), limit.take()]).toEqual([true, true, false])
  expect(limit.isExhausted()).toBe(true)
  vi.advanceTimersByTime(999)
  expect(limit.take()).toBe(false)
  vi.advanceTimersByTime(1)
  expect([limit.isExhausted(), limit.take(), limit.take(), limit.take()]).toEqual([false, true, true, false])
})

it('a sample rate counts a second from its first attempt', () => {
  const limit = createSampleRate(1)
  vi.advanceTimersByTime(1500)
  expect(limit.take()).toBe(true)
  vi.advanceTimersByTime(999)
  expect(limit.take()).toBe(false)
  vi.advanceTimersByTime(1)
  expect(limit.take()).toBe(true)
})

it('a route rate allows each route a limited number of attempts per minute', () => {
  const rate = createRouteRate(2)
  const take = () => [rate.take('tracks.list'), rate.take('packs.list')]
  expect([take(), take(), take()]).toEqual([
    [true, true],
    [true, true],
    [false, false],
  ])
  expect([rate.isExhausted('tracks.list'), rate.isExhausted('libraries.list')]).toEqual([true, false])
  vi.advanceTimersByTime(60_000)
  expect([rate.isExhausted('tracks.list'), rate.take('tracks.list')]).toEqual([false, true])
})
