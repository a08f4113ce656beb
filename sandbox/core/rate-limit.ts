import type { FastifyRequest } from 'fastify'
import { CoreError } from './core-error.ts'

/** So many in so many seconds. */
export interface Rate {
  readonly count: number
  readonly seconds: number
}

/** What visitors without an account are held to; null is without limit. */
export const defaultRates = {
  shareEvents: { count: 60, seconds: 60 },
  publicReads: { count: 300, seconds: 60 },
  accessCodes: { count: 10, seconds: 600 },
} as const satisfies Record<string, Rate | null>

export type Rates = Readonly<Record<keyof typeof defaultRates, Rate | null>>

interface Window {
  count: number
  readonly until: number
}

/** Counts by key; a key's window begins with its first count. */
export const createRateLimiter = (rate: Rate | null) => {
  // All windows are of one length, so they end in the order in which they were entered.
  const windows = new Map<string, Window>()
  const forgetEnded = (now: number) => {
    for (const [key, { until }] of windows) {
      if (until > now) return
      windows.delete(key)
    }
  }

  /** Takes one, or refuses where none is left. */
  const spend = (key: string) => {
    if (!rate) return
    const now = Date.now()
    forgetEnded(now)
    const window = windows.get(key) ?? { count: 0, until: now + rate.seconds * 1000 }
    if (window.count >= rate.count) {
      const seconds = Math.max(1, Math.ceil((window.until - now) / 1000))
      throw new CoreError('analytics_rate_limited', {}, { 'retry-after': String(seconds) })
    }
    window.count += 1
    windows.set(key, window)
  }
  const giveBack = (key: string) => {
    const window = windows.get(key)
    if (window) window.count -= 1
  }
  return { spend, giveBack }
}

/** A client in front of one link. */
export const visitorKey = ({ ip }: FastifyRequest, link: string) => `${ip} ${link}`
