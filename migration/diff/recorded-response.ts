/** The body of an answer as it was read: JSON where it is JSON, else its text. */
export type Body =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'empty' }

/** What one side answered to a request. */
export interface RecordedResponse {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
  /** The names of the events it recorded, or would have; absent where nobody listened. */
  readonly effects?: readonly string[]
}

/** Why a side has no answer that could be compared. */
interface NoAnswer {
  readonly failure: 'unreachable' | 'timeout' | 'truncated' | 'too_large'
}

export type Observation = RecordedResponse | NoAnswer

export const isResponse = (observation: Observation): observation is RecordedResponse =>
  'status' in observation

/** A body by its text: whether it is JSON is for the text to say, not for a header that may be wrong. */
export const readBody = (text: string): Body => {
  if (text === '') return { kind: 'empty' }
  try {
    return { kind: 'json', value: JSON.parse(text) }
  } catch {
    return { kind: 'text', text }
  }
}
