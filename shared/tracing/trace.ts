import { AsyncLocalStorage } from 'node:async_hooks'
import { createTraceId, type TraceContext } from './trace-context.ts'

export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>

export interface SpanStart {
  readonly kind?: 'server' | 'client' | 'consumer'
  readonly attributes?: SpanAttributes
}

/** A recorded step of a trace. Names and attributes must be safe to store: no tokens, paths, queries or row values. */
export interface Span {
  readonly context: TraceContext
  startChild(name: string, start?: SpanStart): Span
  rename(name: string): void
  set(attributes: SpanAttributes): void
  fail(type: string): void
  end(): void
}

interface TraceStart extends SpanStart {
  readonly parent?: TraceContext | null
  /** The span in another trace that caused this one. */
  readonly link?: TraceContext | null
  /** The sampling decision of a trusted service. By default a share of traces is sampled. */
  readonly isSampled?: boolean | undefined
}

export interface Tracer {
  startTrace(name: string, start: TraceStart): Span | null
  lostSpans(): number
  close(timeoutMs: number): Promise<void>
}

/** What a job's data says about the trace of the request that queued it. */
export interface QueuedTrace {
  readonly traceId: string
  /** Absent if spans are not recorded at all. */
  readonly traceparent?: string
  /**
   * The context sent to providers if spans are not recorded. Kept apart from `traceparent`, because a client chose the
   * flags of this one.
   */
  readonly sentTraceparent?: string
}

interface TraceIdentity {
  /** Null until needed. */
  traceId: string | null
  readonly traceparent: string | null
}

export interface Trace {
  readonly identity: TraceIdentity
  /** Sent to the core and providers; null if there is no trace for them to continue. */
  readonly sent: TraceContext | null
  /** Null if spans are not recorded at all, or not for this trace. */
  readonly span: Span | null
}

export const traceIdOf = ({ identity }: Trace): string => {
  identity.traceId ??= createTraceId()
  return identity.traceId
}

export const queuedTraceOf = (trace: Trace): QueuedTrace => {
  const traceId = traceIdOf(trace)
  const { traceparent } = trace.identity
  if (traceparent !== null) return { traceId, traceparent }
  return trace.sent === null ? { traceId } : { traceId, sentTraceparent: trace.sent.traceparent }
}

export const traceHeadersOf = ({ sent }: Pick<Trace, 'sent'>): Readonly<Record<string, string>> => {
  if (sent === null) return {}
  const { traceparent, state } = sent
  return state === null ? { traceparent } : { traceparent, tracestate: state }
}

const storage = new AsyncLocalStorage<Trace | undefined>()

export const activeTrace = (): Trace | undefined => storage.getStore()

export const runInTrace = <T>(trace: Trace, work: () => T): T => storage.run(trace, work)

/** Runs work outside any trace, because several requests share it or it outlives the request that begins it. */
export const runOutsideTraces = <T>(work: () => T): T => storage.run(undefined, work)

const typeOfError = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

export const endWith = async <T>(span: Span, work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    span.fail(typeOfError(error))
    throw error
  } finally {
    span.end()
  }
}

export const inSpan = <T>(
  name: string,
  work: (span: Span | null) => Promise<T>,
  start?: SpanStart,
): Promise<T> => {
  const trace = storage.getStore()
  if (!trace?.span) return work(null)
  const span = trace.span.startChild(name, start)
  return storage.run({ identity: trace.identity, sent: span.context, span }, () => endWith(span, work(span)))
}
