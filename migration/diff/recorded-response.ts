/** The body of a response: parsed if it is JSON, else its text. */
export type Body =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'empty' }

/** The response of one side to a request. */
export interface RecordedResponse {
  readonly status: number
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
  /** The names of the events that the request recorded, or would have recorded; undefined if they are not known. */
  readonly effects?: readonly string[]
  /** From sending the request to the end of the body; undefined if it was not measured. */
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

/** Parses a body. Whether it is JSON follows from the text, because the content type may be wrong. */
export const readBody = (text: string): Body => {
  if (text === '') return { kind: 'empty' }
  try {
    return { kind: 'json', value: JSON.parse(text) }
  } catch {
    return { kind: 'text', text }
  }
}
