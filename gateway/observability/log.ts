import type { LogFields, LogPort } from '#native-routes/ports.ts'
import { describeError } from '#shared/describe-error.ts'
import { traceIdOf } from '#shared/tracing/trace.ts'
import type { RequestContext } from '../request/context.ts'
import { createRequestSeries, type RequestSeries } from './request-series.ts'

/** The version of this release, which each line has: that of `package.json`, which is not part of a bundle. */
export const version = '0.1.0'

/** A structured log. Fields must be safe to store: no tokens, query strings or raw paths. */
export interface Log extends LogPort {
  info(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

/** What the lines of requests of one series have each for itself. */
export interface RequestLine {
  /** ASCII without characters that JSON escapes, like `traceId`. */
  readonly requestId: string
  readonly traceId: string
  readonly account: string | undefined
  /** Not rounded, like `coreMs`; logs round both to hundredths of a millisecond. */
  readonly durationMs: number
  readonly coreMs: number | undefined
  readonly bytesIn: number | undefined
  readonly bytesOut: number | undefined
}

/** The log of the lines of requests. */
export interface RequestLog extends Log {
  /** `info` with the fields of a series and of one of its requests; `message` has no characters to escape. */
  infoRequest(series: RequestSeries, line: RequestLine, message: string): void
}

type LoggedRequest = Pick<RequestContext, 'requestId' | 'trace' | 'method' | 'outcome'>

const roundMs = (durationMs: number) => Math.round(durationMs * 100) / 100

/** The fields of the line of a request, for logs that format objects. */
export const requestFields = (series: RequestSeries, line: RequestLine): LogFields => {
  const { requestId, traceId, durationMs, coreMs, ...others } = line
  return {
    requestId,
    traceId,
    ...JSON.parse(`{${series.members.slice(1)}}`),
    durationMs: roundMs(durationMs),
    coreMs: coreMs === undefined ? undefined : roundMs(coreMs),
    ...others,
  }
}

const findSeries = createRequestSeries()

/** Logs the single line of a completed request. */
export const logRequest = (
  log: RequestLog,
  { requestId, trace, method, outcome }: LoggedRequest,
  status: number,
  durationMs: number,
  account: string | undefined,
) => {
  const { coreMs, bytesIn, bytesOut } = outcome
  const traceId = traceIdOf(trace)
  const series = findSeries(method, outcome, status)
  log.infoRequest(series, { requestId, traceId, account, durationMs, coreMs, bytesIn, bytesOut }, 'request')
}

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

/**
 * Creates the warning that one address has over 80 % of a capacity that clients share. It is logged once: behind a load
 * balancer that `TRUSTED_PROXIES` does not list, all clients have its address, and therefore one share.
 */
export const createDominantClientWarning = (log: Pick<Log, 'warn'>) => {
  let isLogged = false
  return () => {
    if (isLogged) return
    isLogged = true
    log.warn(
      { setting: 'TRUSTED_PROXIES' },
      'share of one client address exceeded: list the address if it is a load balancer',
    )
  }
}
