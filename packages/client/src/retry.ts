import { type ApiError, readErrorCode, readRetryAfterS } from './api-error.ts'

export interface RetryOptions {
  /** The maximum number of retries per request. */
  readonly retries: number
  /** Delay before the first retry. Doubles each time; up to half is taken off at random. */
  readonly retryDelayMs: number
  /** The longest delay. A response with a longer `Retry-After` is not retried. */
  readonly maxRetryDelayMs: number
}

/** An attempt's response with its text, or why there is none. */
export type Attempt =
  | { readonly response: Response; readonly text: string }
  | { readonly connectionError: ApiError }

/** What makes a retry harmless: nothing changes, or the service recognizes the request by its idempotency key. */
export type Safety = 'read' | 'key' | 'none'

// After a gateway timeout, a write may have been applied, so only reads are retried.
const retriedStatuses: Readonly<Record<Safety, readonly number[]>> = {
  read: [429, 502, 503, 504],
  key: [429],
  none: [],
}

const isRetryable = (attempt: Attempt, safety: Safety) => {
  if (safety === 'none') return false
  if ('connectionError' in attempt) return true
  const { response, text } = attempt
  // If the core sent the 503, it may have applied the write, and it does not know the key.
  if (safety === 'key' && response.status === 503)
    return response.headers.get('x-service-core-runtime') !== 'proxy'
  if (retriedStatuses[safety].includes(response.status)) return true
  return response.status === 409 && readErrorCode(text) === 'idempotency_in_progress'
}

/** Returns the delay before a retry; null if the request must not be retried. */
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
  // Spreads out clients that were told to retry in the same second.
  return retryAfterS * 1000 + Math.random() * retryDelayMs
}
