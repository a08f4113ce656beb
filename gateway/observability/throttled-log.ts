import { describeError, type Log } from './log.ts'

const quietMs = 10_000

/**
 * Logs failures that come again and again, as they do while a database is away: the first of a kind at once, then one
 * line in ten seconds that counts those in between.
 */
export const createThrottledLog = (log: Pick<Log, 'error'>, now: () => number = Date.now) => {
  const seen = new Map<string, { until: number; unsaid: number }>()
  return (error: unknown, message: string) => {
    const failure = describeError(error)
    const kind = JSON.stringify([failure.name, failure.code, message])
    const last = seen.get(kind)
    if (last !== undefined && now() < last.until) {
      last.unsaid += 1
      return
    }
    seen.set(kind, { until: now() + quietMs, unsaid: 0 })
    log.error({ failure, ...(last?.unsaid ? { unsaid: last.unsaid } : {}) }, message)
  }
}
