import type { LogFields, LogPort } from '#native-routes/ports.ts'
import { traceIdOf } from '#shared/tracing/trace.ts'
import type { RequestContext } from '../request/context.ts'

/** A structured log. Fields must be safe to store: no tokens, query strings or raw paths. */
export interface Log extends LogPort {
  info(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
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
