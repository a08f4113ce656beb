import type { LogPort } from '#native-routes/ports.ts'
import type { RequestContext } from '../request/context.ts'

type Fields = Readonly<Record<string, unknown>>

/** Structured lines; what is passed here must be safe to keep: no token, no query string, no raw path. */
export interface Log extends LogPort {
  info(fields: Fields, message: string): void
  error(fields: Fields, message: string): void
}

const codeOf = (error: object) => ('code' in error && typeof error.code === 'string' ? error.code : undefined)

// A database error's message may repeat the row, and a failed query prints its parameters; the code and the
// stack's own lines tell where it happened without either.
const framesOf = ({ stack = '' }: Error) =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 12)
    .map((line) => line.trim())

/** What a log may say of an unexpected error: never its message unless the error is one of our own making. */
export const describeError = (error: unknown): Fields => {
  if (!(error instanceof Error)) {
    const code = typeof error === 'object' && error !== null ? codeOf(error) : undefined
    return { thrown: typeof error, ...(code === undefined ? {} : { code }) }
  }
  const ours = [
    'ResponseMismatch',
    'NotPorted',
    'RequestAbandoned',
    'NativeTimeout',
    'ReadOnlyViolation',
    'TypeError',
    'RangeError',
  ]
  return {
    name: error.name,
    code: codeOf(error),
    ...(ours.includes(error.name) ? { reason: error.message } : {}),
    at: framesOf(error),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  }
}

/** Logs the one line of a finished request. */
export const logRequest = (
  log: Log,
  { requestId, method, outcome }: RequestContext,
  status: number,
  durationMs: number,
) => {
  log.info(
    {
      requestId,
      method,
      route: outcome.label,
      runtime: outcome.runtime,
      fallback: outcome.fallback || undefined,
      status,
      error: outcome.error,
      durationMs: Math.round(durationMs * 100) / 100,
    },
    'request',
  )
}
