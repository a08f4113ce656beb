import type { LogFields, LogPort } from '#native-routes/ports.ts'
import { traceIdOf } from '#shared/tracing/trace.ts'
import type { RequestContext } from '../request/context.ts'

/** A structured log. Fields must be safe to store: no tokens, query strings or raw paths. */
export interface Log extends LogPort {
  info(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

/** The log of the lines of requests. */
export interface RequestLog extends Log {
  /** `info` with fields that are JSON: `,"status":200,"route":"packs.list"`. `message` has no characters to escape. */
  infoMembers(members: string, message: string): void
}

type LoggedRequest = Pick<RequestContext, 'requestId' | 'trace' | 'method' | 'outcome'>

const roundMs = (durationMs: number) => Math.round(durationMs * 100) / 100

// Optimized: see "GET of 1 KiB, 32 connections" in bench/README.md.
// Only an account may have characters that JSON escapes: methods are tokens, ids are checked, the others are our own words.
const formatRequest = (
  { requestId, trace, method, outcome }: LoggedRequest,
  status: number,
  durationMs: number,
  account: string | undefined,
) => {
  const { epoch, fallbackReason, error, coreMs, bytesIn, bytesOut } = outcome
  let members = `,"requestId":"${requestId}","traceId":"${traceIdOf(trace)}","method":"${method}"`
  members += `,"route":"${outcome.label}","runtime":"${outcome.runtime}","reason":"${outcome.reason}"`
  if (epoch !== 0) members += `,"epoch":${epoch}`
  if (fallbackReason !== null) members += `,"fallback":true,"fallbackReason":"${fallbackReason}"`
  members += `,"status":${status}`
  if (outcome.isReplayed) members += ',"replayed":true'
  if (error !== undefined) members += `,"error":"${error}"`
  if (account !== undefined) members += `,"account":${JSON.stringify(account)}`
  members += `,"durationMs":${roundMs(durationMs)}`
  if (coreMs !== undefined) members += `,"coreMs":${roundMs(coreMs)}`
  if (bytesIn !== undefined) members += `,"bytesIn":${bytesIn}`
  return bytesOut === undefined ? members : `${members},"bytesOut":${bytesOut}`
}

/** Logs the single line of a completed request. */
export const logRequest = (
  log: RequestLog,
  request: LoggedRequest,
  status: number,
  durationMs: number,
  account: string | undefined,
) => log.infoMembers(formatRequest(request, status, durationMs, account), 'request')
