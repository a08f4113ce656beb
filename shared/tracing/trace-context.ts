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
const traceparentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/
const version00Length = 55

const hasOtherThanZeros = (id: string) => /[1-9a-f]/.test(id)

const parseTraceparent = (header: string) => {
  // Several values that were joined. Only an unknown version could be valid with a comma.
  if (header.includes(',')) return null
  const [, version, traceId, parentId, flags] = traceparentPattern.exec(header) ?? []
  if (traceId === undefined || parentId === undefined || flags === undefined) return null
  if (version === 'ff' || (version === '00' && header.length !== version00Length)) return null
  if (!hasOtherThanZeros(traceId) || !hasOtherThanZeros(parentId)) return null
  return { traceId, parentId, flags: Number.parseInt(flags, 16) & knownFlags }
}

/**
 * Parses the headers of a request as W3C Trace Context (level 2) requires; null if there is no valid `traceparent`, which
 * voids the `tracestate`. Of an unknown version it reads what version 00 has.
 */
export const parseTraceContext = (
  traceparent: string | undefined,
  tracestate: string | undefined,
): TraceContext | null => {
  const parsed = traceparent === undefined ? null : parseTraceparent(traceparent)
  return parsed && { ...parsed, state: tracestate === undefined ? null : parseTraceState(tracestate) }
}

/** The `traceparent` header, always of version 00. */
export const formatTraceparent = ({ traceId, parentId, flags }: TraceContext) =>
  `00-${traceId}-${parentId}-0${flags}`

const randomBytes = Buffer.alloc(4096)
let usedBytes = randomBytes.length

// From many random bytes at once. The result is one string in memory: `JSON.stringify` takes twice as long for a line of the
// log with one that is joined of parts.
const createRandomHex = (length: number): string => {
  if (usedBytes + length > randomBytes.length) {
    crypto.getRandomValues(randomBytes)
    usedBytes = 0
  }
  const start = usedBytes
  usedBytes += length
  return randomBytes.toString('hex', start, usedBytes)
}

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
