import type { LogFields, LogPort } from '#native-routes/ports.ts'
import { traceIdOf } from '#shared/tracing/trace.ts'
import type { RequestContext } from '../request/context.ts'
import { createRequestSeries, type RequestSeries } from './request-series.ts'

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
