import type { LogFields, LogPort } from '#native-routes/ports.ts'
import { traceIdOf } from '#shared/tracing/trace.ts'
import type { RequestContext } from '../request/context.ts'

/** A structured log. Fields must be safe to store: no tokens, query strings or raw paths. */
export interface Log extends LogPort {
  info(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

const codeOf = (error: object) => ('code' in error && typeof error.code === 'string' ? error.code : undefined)

// The message of a database error may contain row values or query parameters. The error code and the stack frames locate
// the error without them.
const extractFrames = ({ stack = '' }: Error) =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 12)
    .map((line) => line.trim())

const namesWithSafeMessage = [
  'ResponseMismatch',
  'NotPorted',
  'InvalidHeaderError',
  'RequestAbandoned',
  'NativeTimeout',
  'ReadOnlyViolation',
  'TypeError',
  'RangeError',
]

// A TypeError for an invalid header repeats its value.
const hasSafeMessage = ({ name, message }: Error) =>
  namesWithSafeMessage.includes(name) && !(name === 'TypeError' && /header/i.test(message))

/** Describes an unexpected error for the log. Contains the message only of error classes known to be safe. */
export const describeError = (error: unknown): Readonly<Record<string, unknown>> => {
  if (!(error instanceof Error)) {
    const code = typeof error === 'object' && error !== null ? codeOf(error) : undefined
    return { thrown: typeof error, ...(code === undefined ? {} : { code }) }
  }
  return {
    name: error.name,
    code: codeOf(error),
    ...(hasSafeMessage(error) ? { reason: error.message } : {}),
    at: extractFrames(error),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  }
}

const roundMs = (durationMs: number) => Math.round(durationMs * 100) / 100

/** Logs the single line of a completed request. */
export const logRequest = (
  log: Log,
  { requestId, trace, method, outcome }: RequestContext,
  status: number,
  durationMs: number,
  account: string | undefined,
) => {
  log.info(
    {
      requestId,
      traceId: traceIdOf(trace),
      method,
      route: outcome.label,
      runtime: outcome.runtime,
      reason: outcome.reason,
      epoch: outcome.epoch === 0 ? undefined : outcome.epoch,
      fallback: outcome.fallbackReason === null ? undefined : true,
      fallbackReason: outcome.fallbackReason ?? undefined,
      status,
      replayed: outcome.isReplayed || undefined,
      error: outcome.error,
      account,
      durationMs: roundMs(durationMs),
      coreMs: outcome.coreMs === undefined ? undefined : roundMs(outcome.coreMs),
      bytesIn: outcome.bytesIn,
      bytesOut: outcome.bytesOut,
    },
    'request',
  )
}
