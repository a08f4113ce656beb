/** A response's body: parsed if it is JSON of at most `maxLevels` levels, otherwise text. */
export type Body =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'empty' }

/** One side's response to a request. */
export interface RecordedResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
  /** Names of the events the request recorded or would have; undefined if unknown. */
  readonly effects?: readonly string[]
  /** From sending the request to the end of the body; undefined if not measured. */
  readonly durationMs?: number
}

/** Why a side has no response to compare. */
interface FailedRequest {
  readonly failure: 'unreachable' | 'timeout' | 'truncated' | 'too_large'
  readonly durationMs?: number
}

export type Observation = RecordedResponse | FailedRequest

export const isResponse = (observation: Observation): observation is RecordedResponse =>
  'status' in observation

/** Contracts have fewer than ten. Recursive walks of a body overflow the stack at a few thousand. */
const maxLevels = 64

const listValues = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : []

const hasTooManyLevels = (value: unknown) => {
  let values = listValues(value)
  for (let level = 1; level <= maxLevels; level += 1) {
    if (values.length === 0) return false
    values = values.flatMap(listValues)
  }
  return true
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Parses a body. The text decides whether it is JSON, because the content type may be wrong. One with too many levels
 * stays text, which violates every contract.
 */
export const readBody = (text: string): Body => {
  if (text === '') return { kind: 'empty' }
  const value = parseJson(text)
  return value === undefined || hasTooManyLevels(value) ? { kind: 'text', text } : { kind: 'json', value }
}
