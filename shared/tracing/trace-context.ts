import { parseTraceState } from './trace-state.ts'

/** A position in a trace, as W3C Trace Context sends it between services. */
export interface TraceContext {
  /** Of version 00: trace id, the id of the span that causes the request, and flags that are known. */
  readonly traceparent: string
  /** `tracestate`; null for none. */
  readonly state: string | null
}

/** The sender records the trace. */
export const sampledFlag = 1
/** The last seven bytes of the trace id are random. */
export const randomFlag = 2
const knownFlags = sampledFlag | randomFlag

// Version, trace id, parent id and flags, separated by hyphens. Later versions may append fields, each after another hyphen.
const version00Length = 55
const hyphen = 0x2d

// -1 for all characters that are not lower-case hexadecimal digits.
const digitValues = new Int8Array(128).fill(-1)
for (const [value, digit] of [...'0123456789abcdef'].entries()) digitValues[digit.charCodeAt(0)] = value

// Optimized: see "Traces that are not recorded" in bench/results/observability.md.
/** All digits combined by OR, so one digit is its value: negative if one of them is invalid, 0 if all are zeros. */
const combineDigits = (text: string, from: number, to: number) => {
  let combined = 0
  for (let index = from; index < to; index += 1) combined |= digitValues[text.charCodeAt(index)] ?? -1
  return combined
}

// A comma joins several values. Only an unknown version could be valid with one.
const isLaterVersion = (header: string) =>
  !header.startsWith('ff') &&
  (header.length === version00Length ||
    (header.charCodeAt(version00Length) === hyphen && !header.includes(',')))

/** The header as it is sent on: of version 00, without unknown flags. Null if it is not valid. */
const parseTraceparent = (header: string): string | null => {
  const version = combineDigits(header, 0, 2)
  const isValid =
    version >= 0 &&
    header.charCodeAt(2) === hyphen &&
    combineDigits(header, 3, 35) > 0 &&
    header.charCodeAt(35) === hyphen &&
    combineDigits(header, 36, 52) > 0 &&
    header.charCodeAt(52) === hyphen &&
    combineDigits(header, 53, 55) >= 0 &&
    (version === 0 ? header.length === version00Length : isLaterVersion(header))
  if (!isValid) return null
  const flags = combineDigits(header, 54, 55)
  const isAsSent = version === 0 && combineDigits(header, 53, 54) === 0 && flags <= knownFlags
  return isAsSent ? header : `00-${header.slice(3, 52)}-0${flags & knownFlags}`
}

/**
 * Parses the headers of a request as W3C Trace Context (level 2) requires; null if there is no valid `traceparent`, which
 * voids the `tracestate`. Of an unknown version it reads what version 00 has.
 */
export const parseTraceContext = (
  traceparent: string | undefined,
  tracestate: string | undefined,
): TraceContext | null => {
  const sent = traceparent === undefined ? null : parseTraceparent(traceparent)
  if (sent === null) return null
  return { traceparent: sent, state: tracestate === undefined ? null : parseTraceState(tracestate) }
}

/**
 * The context of what the span `parentId` causes. Ids have 32 and 16 lower-case hexadecimal digits; `flags` are those that are
 * known.
 */
export const createTraceContext = (
  traceId: string,
  parentId: string,
  flags: number,
  state: string | null,
): TraceContext => ({ traceparent: `00-${traceId}-${parentId}-0${flags}`, state })

/** 32 lower-case hexadecimal digits. */
export const traceIdIn = ({ traceparent }: TraceContext): string => traceparent.slice(3, 35)

/** 16 lower-case hexadecimal digits. */
export const parentIdIn = ({ traceparent }: TraceContext): string => traceparent.slice(36, 52)

/** `sampledFlag` and `randomFlag`. */
export const flagsIn = ({ traceparent }: TraceContext): number => combineDigits(traceparent, 54, 55)

// Of thousands of ids: a call of `crypto.getRandomValues` takes longer than the bytes of one.
const poolBytes = 65_536
let pool: Buffer<ArrayBuffer> | null = null
let usedBytes = 0

/** Two hexadecimal digits for each byte. */
const createRandomHex = (bytes: number): string => {
  // On Workers, only requests may ask for random bytes.
  if (pool === null || usedBytes + bytes > poolBytes) {
    pool ??= Buffer.alloc(poolBytes)
    crypto.getRandomValues(pool)
    usedBytes = 0
  }
  usedBytes += bytes
  return pool.toString('hex', usedBytes - bytes, usedBytes)
}

export const createTraceId = (): string => createRandomHex(16)

/** The id of a span that is not recorded. */
const createSpanId = () => createRandomHex(8)

/** What is sent instead of a span that is not recorded, in the trace of `parent` or in a new one. */
export const createUnsampledContext = (parent: TraceContext | null): TraceContext =>
  parent === null
    ? createTraceContext(createTraceId(), createSpanId(), randomFlag, null)
    : createTraceContext(traceIdIn(parent), createSpanId(), flagsIn(parent) & randomFlag, parent.state)
