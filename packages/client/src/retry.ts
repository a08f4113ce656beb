import { type ApiError, readErrorCode, readRetryAfterS } from './api-error.ts'

export interface RetryOptions {
  /** How often a request is repeated at most. */
  readonly retries: number
  /** The delay before the first repetition, which doubles each time; a random part of up to half is taken off. */
  readonly retryDelayMs: number
  /** The longest delay. A response whose `Retry-After` exceeds it is not retried. */
  readonly maxRetryDelayMs: number
}

/** The response of an attempt with its text, or why there is none. */
export type Attempt =
  | { readonly response: Response; readonly text: string }
  | { readonly connectionError: ApiError }

/** What makes a repetition harmless: nothing changes, or the service recognizes the request by its idempotency key. */
export type Safety = 'read' | 'key' | 'none'

// A gateway timeout leaves open what happened, so only reads are repeated after it.
const retriedStatuses: Readonly<Record<Safety, readonly number[]>> = {
  read: [429, 502, 503, 504],
  key: [429],
  none: [],
}

const isRetryable = (attempt: Attempt, safety: Safety) => {
  if (safety === 'none') return false
  if ('connectionError' in attempt) return true
  const { response, text } = attempt
  // The core may have applied a write that it answered with 503, and does not know its key.
  if (safety === 'key' && response.status === 503)
    return response.headers.get('x-service-core-runtime') !== 'proxy'
  if (retriedStatuses[safety].includes(response.status)) return true
  return response.status === 409 && readErrorCode(text) === 'idempotency_in_progress'
}

/** Returns the delay before the request is repeated; null if it must not be repeated. */
export const computeRetryDelayMs = (
  attempt: Attempt,
  safety: Safety,
  { done, retries, retryDelayMs, maxRetryDelayMs }: RetryOptions & { readonly done: number },
) => {
  if (done >= retries || !isRetryable(attempt, safety)) return null
  const backoffMs = Math.min(retryDelayMs * 2 ** done, maxRetryDelayMs) * (1 - Math.random() / 2)
  const retryAfterS = 'response' in attempt ? readRetryAfterS(attempt.response.headers) : undefined
  if (retryAfterS === undefined) return backoffMs
  if (retryAfterS * 1000 > maxRetryDelayMs) return null
  // The clients that wait for the same second do not return at the same moment.
  return retryAfterS * 1000 + Math.random() * retryDelayMs
}
