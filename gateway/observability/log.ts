import { createKeyedHash } from '#db/hashes.ts'
import type { LogFields, LogPort } from '#native-routes/ports.ts'
import type { BreakerCounts, BreakerState } from '#proxy/circuit-breaker.ts'
import { describeError } from '#shared/describe-error.ts'
import { activeTrace, runOutsideTraces, traceIdOf } from '#shared/tracing/trace.ts'
import type { RequestContext } from '../request/context.ts'
import type { CompletedRequest } from '../request/route-control.ts'

/** The release's version, on every log line. Repeated from `package.json`, which is not in the bundle. */
export const version = '0.1.0'

/** The fields of a request's line. Only `account` may contain characters that JSON escapes. */
export interface RequestFields extends LogFields {
  readonly requestId: string
  readonly traceId: string
  readonly method: string
  readonly route: string
  readonly runtime: string
  readonly reason: string
  readonly epoch: number | undefined
  readonly fallback: true | undefined
  readonly fallbackReason: string | undefined
  readonly status: number
  readonly replayed: true | undefined
  readonly error: string | undefined
  readonly unauthorizedReason: string | undefined
  readonly account: string | undefined
  readonly durationMs: number
  readonly coreMs: number | undefined
  readonly bytesIn: number | undefined
  readonly bytesOut: number | undefined
}

/** A structured log. Fields must be safe to store: no tokens, query strings or raw paths. */
export interface Log extends LogPort {
  info(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
  /** Writes a request's line, with the level `info` and the message `request`. */
  request(fields: RequestFields): void
}

type LoggedRequest = Pick<RequestContext, 'requestId' | 'trace' | 'method' | 'outcome'>

const roundMs = (durationMs: number) => Math.round(durationMs * 100) / 100

export const logRequest = (
  log: Pick<Log, 'request'>,
  { requestId, trace, method, outcome }: LoggedRequest,
  status: number,
  durationMs: number,
  account: string | undefined,
) => {
  const { epoch, fallbackReason, coreMs } = outcome
  log.request({
    requestId,
    traceId: traceIdOf(trace),
    method,
    route: outcome.label,
    runtime: outcome.runtime,
    reason: outcome.reason,
    epoch: epoch === 0 ? undefined : epoch,
    fallback: fallbackReason === null ? undefined : true,
    fallbackReason: fallbackReason ?? undefined,
    status,
    replayed: outcome.isReplayed ? true : undefined,
    error: outcome.error,
    unauthorizedReason: outcome.unauthorizedReason ?? undefined,
    account,
    durationMs: roundMs(durationMs),
    coreMs: coreMs === undefined ? undefined : roundMs(coreMs),
    bytesIn: outcome.bytesIn,
    bytesOut: outcome.bytesOut,
  })
}

const throttleIntervalMs = 10_000

// Not the wall clock: if that were set back, lines would be suppressed until it caught up.
const monotonicNow = () => performance.now()

/**
 * Thins out repeated lines: the first of a kind is written immediately, then at most one in ten seconds. Returns the
 * fields to add to the line, namely how many were suppressed before it; null if the line should not be written.
 */
export const createThrottle = (now: () => number = monotonicNow) => {
  const lastLogged = new Map<string, { until: number; suppressed: number }>()
  return (kind: readonly unknown[]): { readonly suppressed?: number } | null => {
    const key = JSON.stringify(kind)
    const last = lastLogged.get(key)
    if (last !== undefined && now() < last.until) {
      last.suppressed += 1
      return null
    }
    lastLogged.set(key, { until: now() + throttleIntervalMs, suppressed: 0 })
    return last?.suppressed ? { suppressed: last.suppressed } : {}
  }
}

export const createThrottledLog = (log: Pick<Log, 'error'>, now?: () => number) => {
  const throttle = createThrottle(now)
  return (error: unknown, message: string) => {
    const failure = describeError(error)
    const fields = throttle([failure.name, failure.code, message])
    if (fields) log.error({ failure, ...fields }, message)
  }
}

/**
 * Creates a warning, logged once, that one address uses over 80 % of a shared capacity. The usual cause is a load
 * balancer missing from `TRUSTED_PROXIES`: all clients then share its address, and so one share.
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

/** What every line says about the work that wrote it. */
export const readTraceFields = (): LogFields => {
  const trace = activeTrace()
  return trace ? { traceId: traceIdOf(trace) } : {}
}

/** Returns an account's name in the log; undefined leaves the account out. */
export type NameAccount = (accountId: string) => string | undefined

// 96 bits: no collisions in practice
const hashLength = 16

interface AccountNameOptions {
  readonly LOG_ACCOUNTS: 'hashed' | 'plain' | 'off'
  readonly GATEWAY_SECRET: string
}

/** By default, names are hashes, which only someone with GATEWAY_SECRET can compute. */
export const createAccountNames = ({ LOG_ACCOUNTS, GATEWAY_SECRET }: AccountNameOptions): NameAccount => {
  if (LOG_ACCOUNTS === 'off') return () => undefined
  if (LOG_ACCOUNTS === 'plain') return (accountId) => accountId
  const hash = createKeyedHash(GATEWAY_SECRET, 'accounts of the log')
  return (accountId) => hash(accountId).slice(0, hashLength)
}

export const createCoreBreakerLog =
  (log: Pick<Log, 'info' | 'warn'>, endpoint: string) => (state: BreakerState, counts: BreakerCounts) =>
    runOutsideTraces(() => {
      const fields = { breaker: 'core', endpoint, ...counts }
      if (state === 'open') log.warn(fields, 'circuit breaker opened')
      else if (state === 'half-open') log.info(fields, 'circuit breaker half-opened')
      else log.info(fields, 'circuit breaker closed')
    })

export const createEndpointLog = (log: Pick<Log, 'info' | 'warn'>) => ({
  onChanged: (endpoints: readonly string[]) => log.info({ endpoints }, 'core endpoints changed'),
  onAvoided: (endpoint: string, cause: string | null) =>
    cause === null
      ? log.info({ endpoint }, 'core endpoint used again')
      : log.warn({ endpoint, cause }, 'core endpoint avoided'),
})

const slowMs = 1000

/**
 * Decides which requests get a log line: all that failed, fell back or took at least a second, and `LOG_REQUESTS_SHARE`
 * of the rest. Successful probes get one only with `LOG_LEVEL=debug`.
 */
export const createLineSelection = (
  { LOG_LEVEL, LOG_REQUESTS_SHARE }: { readonly LOG_LEVEL: string; readonly LOG_REQUESTS_SHARE: number },
  random: () => number = Math.random,
) => {
  const logsProbes = LOG_LEVEL === 'debug'
  return ({ context: { outcome }, status, durationMs }: CompletedRequest): boolean => {
    if (status >= 400 || outcome.error !== undefined || outcome.fallbackReason !== null) return true
    if (outcome.page === 'probe' && !logsProbes) return false
    return durationMs >= slowMs || LOG_REQUESTS_SHARE === 1 || random() < LOG_REQUESTS_SHARE
  }
}
