import type { Label } from '#contracts/route-table.ts'
import type { Log } from '#gateway/observability/log.ts'
import { runOutsideTraces } from '#shared/tracing/trace.ts'

const windowMs = 10_000
const slices = 10
const sliceIntervalMs = windowMs / slices
/** A pause needs this many requests. A stop needs six failures, and an earlier pause would delay the stop. */
const minRequests = 6
const maxFallbackRatio = 0.2

interface SliceTally {
  requests: number
  fallbacks: number
}

const createEmptyTally = (): SliceTally => ({ requests: 0, fallbacks: 0 })

/** If over a fifth of a route's requests fell back within ten seconds, native is not tried for ten seconds. */
export const createRoutePause = (route: Label, log: Pick<Log, 'info' | 'warn'>) => {
  /** A ring buffer with a tally for each slice of the window. */
  const tallies = Array.from({ length: slices }, createEmptyTally)
  let slice = 0
  let until = 0
  /** Whether the end of a pause still has to be logged. */
  let isOpen = false

  const advance = (now: number) => {
    const next = Math.floor(now / sliceIntervalMs)
    const elapsed = Math.min(slices, next - slice)
    for (let step = 0; step < elapsed; step += 1) tallies[(next - step) % slices] = createEmptyTally()
    slice = next
    return tallies[next % slices] ?? createEmptyTally()
  }

  const countWindow = (): SliceTally => ({
    requests: tallies.reduce((sum, { requests }) => sum + requests, 0),
    fallbacks: tallies.reduce((sum, { fallbacks }) => sum + fallbacks, 0),
  })

  const logEnd = (now: number) => {
    if (!isOpen || now < until) return
    isOpen = false
    advance(now)
    // A request for another route may notice this.
    runOutsideTraces(() => log.info({ route, ...countWindow() }, 'route pause ended'))
  }

  return {
    isPaused: (now: number) => now < until,
    logEnd,
    countServed(requests: number, now: number) {
      advance(now).requests += requests
    },
    countFallback(now: number) {
      const current = advance(now)
      current.requests += 1
      current.fallbacks += 1
      const counts = countWindow()
      if (counts.requests < minRequests || counts.fallbacks <= counts.requests * maxFallbackRatio) return
      // Logs the end of the previous pause, because otherwise the start of this one would not be logged.
      logEnd(now)
      const isFirst = !isOpen
      isOpen = true
      until = now + windowMs
      if (isFirst) log.warn({ route, ...counts }, 'route paused')
    },
  }
}
