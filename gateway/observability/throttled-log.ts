import { describeError } from '#shared/describe-error.ts'
import type { Log } from './log.ts'

const throttleIntervalMs = 10_000

/**
 * Creates a log for errors that repeat, for example while the database is unavailable. Logs the first error of a kind
 * immediately, then at most one line in ten seconds, with the number of errors suppressed in between.
 */
export const createThrottledLog = (log: Pick<Log, 'error'>, now: () => number = Date.now) => {
  const lastLogged = new Map<string, { until: number; suppressed: number }>()
  return (error: unknown, message: string) => {
    const failure = describeError(error)
    const kind = JSON.stringify([failure.name, failure.code, message])
    const last = lastLogged.get(kind)
    if (last !== undefined && now() < last.until) {
      last.suppressed += 1
      return
    }
    lastLogged.set(kind, { until: now() + throttleIntervalMs, suppressed: 0 })
    log.error({ failure, ...(last?.suppressed ? { suppressed: last.suppressed } : {}) }, message)
  }
}
