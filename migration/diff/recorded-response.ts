import { type ErrorCode, isErrorCode } from '#contracts/errors.ts'
import { isObject } from '#shared/json.ts'

/** A response's body. It is parsed if it is JSON with at most `maxLevels` levels; otherwise it is text. */
export type Body =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'empty' }

export interface RecordedResponse {
  readonly status: number
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
  /** Time from sending the request to the end of the body; undefined if it was not measured. */
  readonly durationMs?: number
}

interface FailedRequest {
  readonly failure: 'unreachable' | 'timeout' | 'truncated' | 'too_large'
  readonly durationMs?: number
}

export type Observation = RecordedResponse | FailedRequest

export const isResponse = (observation: Observation): observation is RecordedResponse =>
  'status' in observation

export const statusOf = (observation: Observation) => (isResponse(observation) ? observation.status : null)

export const isSuccess = (observation: Observation) =>
  isResponse(observation) && observation.status >= 200 && observation.status < 300

export const describeObservation = (observation: Observation) =>
  isResponse(observation) ? `returned ${observation.status}` : `got no response: ${observation.failure}`

/** Returns the parsed body; null if there is no response or its body is not JSON. */
export const jsonOf = (observation: Observation): unknown =>
  isResponse(observation) && observation.body.kind === 'json' ? observation.body.value : null

/**
 * Contracts have fewer than ten levels. With a few thousand levels, a recursive walk of a body would overflow the
 * stack.
 */
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
 * Parses a body. The text decides whether it is JSON, because the content type may be wrong. A body with too many
 * levels stays text, which violates every contract.
 */
export const readBody = (text: string): Body => {
  if (text === '') return { kind: 'empty' }
  const value = parseJson(text)
  return value === undefined || hasTooManyLevels(value) ? { kind: 'text', text } : { kind: 'json', value }
}

export const readErrorCode = (body: Body): ErrorCode | null =>
  body.kind === 'json' && isObject(body.value) && isErrorCode(body.value.error) ? body.value.error : null
