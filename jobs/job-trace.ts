import type { QueuedJob } from '#db/queries/jobs/jobs.ts'
import { endWith, type QueuedTrace, runInTrace, type Trace, type Tracer } from '#shared/tracing/trace.ts'
import {
  createUnsampledContext,
  flagsIn,
  parseTraceContext,
  sampledFlag,
  traceIdIn,
} from '#shared/tracing/trace-context.ts'

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

// Without this check, a malformed trace in a job that the core queued would fail the job.
const readTrace = ({ traceId, traceparent, sentTraceparent }: Partial<QueuedTrace>) => ({
  traceId: textOf(traceId),
  traceparent: textOf(traceparent),
  sentTraceparent: textOf(sentTraceparent),
})

const startTrace = ({ queue, id }: QueuedJob, stored: Partial<QueuedTrace>, tracer: Tracer | null): Trace => {
  const { traceId, traceparent, sentTraceparent } = readTrace(stored)
  const link = parseTraceContext(traceparent, undefined)
  const span = tracer?.startTrace(`process ${queue}`, {
    kind: 'consumer',
    link,
    // The gateway decided this when it received the request. Clients cannot influence it.
    isSampled: link ? (flagsIn(link) & sampledFlag) !== 0 : undefined,
    attributes: { 'messaging.destination.name': queue, 'crossfade.job': id },
  })
  // Everything this job queues and logs belongs to the request that queued it.
  const identity = {
    traceId: traceId ?? (span ? traceIdIn(span.context) : null),
    traceparent: link && traceparent ? traceparent : null,
  }
  if (span) return { identity, sent: span.context, span }
  // Without a tracer, providers continue the request's trace, because a span of this job would never be recorded and
  // would leave a gap in that trace.
  const sent = tracer
    ? createUnsampledContext(null)
    : parseTraceContext(traceparent ?? sentTraceparent, undefined)
  return { identity, sent, span: null }
}

export const runInJobTrace = <T>(
  job: QueuedJob,
  stored: Partial<QueuedTrace>,
  tracer: Tracer | null,
  work: () => Promise<T>,
): Promise<T> => {
  const trace = startTrace(job, stored, tracer)
  return runInTrace(trace, () => (trace.span ? endWith(trace.span, work()) : work()))
}
