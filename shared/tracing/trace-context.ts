import { parseTraceState } from './trace-state.ts'

/** A position in a trace, as W3C Trace Context sends it between services. */
export interface TraceContext {
  readonly traceparent: string
  readonly state: string | null
}

/** Set if the sender records the trace. */
export const sampledFlag = 1
/** Set if the last seven bytes of the trace id are random. */
export const randomFlag = 2
const knownFlags = sampledFlag | randomFlag

// Version, trace id, parent id and flags. Later versions may append fields after another hyphen, but a comma means that
// several headers were joined.
const traceparentFormat =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-[^,]*)?$/

const parseTraceparent = (header: string): string | null => {
  const [, version, traceId, parentId, flags = '', appended] = traceparentFormat.exec(header) ?? []
  if (version === undefined || (version === '00' && appended !== undefined)) return null
  return `00-${traceId}-${parentId}-0${Number.parseInt(flags, 16) & knownFlags}`
}

/**
 * Returns null without a valid `traceparent`, even if `tracestate` is valid. If the version is unknown, reads only the
 * fields of version 00.
 */
export const parseTraceContext = (
  traceparent: string | undefined,
  tracestate: string | undefined,
): TraceContext | null => {
  const sent = traceparent === undefined ? null : parseTraceparent(traceparent)
  if (sent === null) return null
  return { traceparent: sent, state: tracestate === undefined ? null : parseTraceState(tracestate) }
}

/** Ids have 32 and 16 lower-case hexadecimal digits; `flags` must be known. */
export const createTraceContext = (
  traceId: string,
  parentId: string,
  flags: number,
  state: string | null,
): TraceContext => ({ traceparent: `00-${traceId}-${parentId}-0${flags}`, state })

export const traceIdIn = ({ traceparent }: TraceContext): string => traceparent.slice(3, 35)

export const parentIdIn = ({ traceparent }: TraceContext): string => traceparent.slice(36, 52)

export const flagsIn = ({ traceparent }: TraceContext): number => Number(traceparent.slice(54))

// Enough for thousands of ids: the fixed cost of a `crypto.getRandomValues` call exceeds the cost of one id's bytes, so
// one call fills the pool for many ids.
const poolBytes = 65_536
let pool: Buffer<ArrayBuffer> | null = null
let usedBytes = 0

const createRandomHex = (bytes: number): string => {
  // Filled on first use, because on Workers only requests may ask for random bytes.
  if (pool === null || usedBytes + bytes > poolBytes) {
    pool ??= Buffer.alloc(poolBytes)
    crypto.getRandomValues(pool)
    usedBytes = 0
  }
  usedBytes += bytes
  return pool.toString('hex', usedBytes - bytes, usedBytes)
}

export const createTraceId = (): string => createRandomHex(16)

export const createSpanId = () => createRandomHex(8)

export const createUnsampledContext = (parent: TraceContext | null): TraceContext =>
  parent === null
    ? createTraceContext(createTraceId(), createSpanId(), randomFlag, null)
    : createTraceContext(traceIdIn(parent), createSpanId(), flagsIn(parent) & randomFlag, parent.state)
