import type { LogFields, LogPort } from '#native-routes/ports.ts'
import { activeTrace, traceIdOf } from '#shared/tracing/trace.ts'
import type { Log } from '../observability/log.ts'

const addTraceId = (fields: LogFields): LogFields => {
  const trace = activeTrace()
  return trace ? { ...fields, traceId: traceIdOf(trace) } : fields
}

/** A log whose lines name the trace of the request or job that writes them. */
export const createTracedLog = (log: Log): Log & LogPort => ({
  info: (fields, message) => log.info(addTraceId(fields), message),
  warn: (fields, message) => log.warn(addTraceId(fields), message),
  error: (fields, message) => log.error(addTraceId(fields), message),
})
