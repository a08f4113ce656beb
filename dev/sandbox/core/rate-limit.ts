import type { FastifyRequest } from 'fastify'
import { CoreError } from './core-error.ts'

export interface Rate {
  readonly count: number
  readonly seconds: number
}

interface Window {
  count: number
  readonly endsAt: number
}

/** Creates a fixed-window limiter. A key's window starts at its first request. */
export const createRateLimiter = (rate: Rate | null) => {
  // All windows have the same length, so they expire in insertion order.
  const windows = new Map<string, Window>()
  const removeEnded = (now: number) => {
    for (const [key, { endsAt }] of windows) {
      if (endsAt > now) return
      windows.delete(key)
    }
  }

  const reserve = (key: string) => {
    if (!rate) return
    const now = Date.now()
    removeEnded(now)
    const window = windows.get(key) ?? { count: 0, endsAt: now + rate.seconds * 1000 }
    if (window.count >= rate.count) {
      const seconds = Math.max(1, Math.ceil((window.endsAt - now) / 1000))
      throw new CoreError('analytics_rate_limited', {}, { 'retry-after': String(seconds) })
    }
    window.count += 1
    windows.set(key, window)
  }
  const refund = (key: string) => {
    const window = windows.get(key)
    if (window) window.count -= 1
  }
  return { reserve, refund }
}

export const visitorKey = ({ ip }: FastifyRequest, link: string) => `${ip} ${link}`
