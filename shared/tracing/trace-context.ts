import { createRandomHex } from '../random-ids.ts'
import { parseTraceState } from './trace-state.ts'

/** A position in a trace, as W3C Trace Context sends it between services. */
export interface TraceContext {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string
  /** The span that causes the request: 16 lower-case hexadecimal digits. */
  readonly parentId: string
  /** `sampledFlag` and `randomFlag`. */
  readonly flags: number
  /** `tracestate`; null for none. */
  readonly state: string | null
}

/** The sender records the trace. */
export const sampledFlag = 1
/** The last seven bytes of the trace id are random. */
export const randomFlag = 2
const knownFlags = sampledFlag | randomFlag

// Version, trace id, parent id and flags. Later versions may append fields, each after a hyphen.
const traceparentPattern = /^(?!ff)[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(?:$|-)/
const version00Length = 55

const isAllZeros = (text: string, from: number, to: number) => {
  for (let index = from; index < to; index += 1) if (text[index] !== '0') return false
  return true
}

const isValidTraceparent = (header: string) => {
  if (!traceparentPattern.test(header)) return false
  // A comma joins several values. Only an unknown version could be valid with one.
  if (header.length !== version00Length && (header.startsWith('00') || header.includes(','))) return false
  return !isAllZeros(header, 3, 35) && !isAllZeros(header, 36, 52)
}

/**
 * Parses the headers of a request as W3C Trace Context (level 2) requires; null if there is no valid `traceparent`, which
 * voids the `tracestate`. Of an unknown version it reads what version 00 has.
 */
export const parseTraceContext = (
  traceparent: string | undefined,
  tracestate: string | undefined,
): TraceContext | null => {
  if (traceparent === undefined || !isValidTraceparent(traceparent)) return null
  return {
    traceId: traceparent.slice(3, 35),
    parentId: traceparent.slice(36, 52),
    // The last digit has all flags that are known.
    flags: Number.parseInt(traceparent.charAt(54), 16) & knownFlags,
    state: tracestate === undefined ? null : parseTraceState(tracestate),
  }
}

/** The `traceparent` header, always of version 00. */
export const formatTraceparent = ({ traceId, parentId, flags }: TraceContext) =>
  `00-${traceId}-${parentId}-0${flags}`

export const createTraceId = (): string => createRandomHex(16)

/** The id of a span that is not recorded. */
export const createSpanId = (): string => createRandomHex(8)

/** What is sent instead of a span that is not recorded, in the trace of `parent` or in a new one. */
export const createUnsampledContext = (parent: TraceContext | null): TraceContext => ({
  traceId: parent?.traceId ?? createTraceId(),
  parentId: createSpanId(),
  flags: parent ? parent.flags & randomFlag : randomFlag,
  state: parent?.state ?? null,
})
