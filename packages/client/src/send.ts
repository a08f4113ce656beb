import { ApiError, readErrorCode, readRetryAfterS } from './api-error.ts'
import type { TokenSource } from './token-source.ts'
import { abortable, toTimerMs, wait } from './wait.ts'

interface RetryOptions {
  /** The maximum number of retries per request. */
  readonly retries: number
  /** Delay before the first retry. Doubles each time; up to half is taken off at random. */
  readonly retryDelayMs: number
  /** The longest delay. A response with a longer `Retry-After` is not retried. */
  readonly maxRetryDelayMs: number
}

type Attempt = { readonly response: Response; readonly text: string } | { readonly connectionError: ApiError }

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

const computeRetryDelayMs = (
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

export interface SendOptions extends RetryOptions {
  /** Time limit for one attempt, including the response body. For an event stream, it ends when the stream begins. */
  readonly timeoutMs: number
  /** Sends each attempt. Pass your own to log attempts or read response headers. */
  readonly fetch: typeof globalThis.fetch
}

export interface PreparedRequest {
  readonly operation: string
  readonly url: string
  readonly method: string
  readonly headers: Headers
  /** JSON text, so that it can be sent again; undefined if there is no body. */
  readonly body: string | undefined
  readonly signal: AbortSignal | undefined
  readonly safety: Safety
  readonly tokens: TokenSource | null
  /** Leaves a successful response's body unread. Its text is empty. */
  readonly isStream: boolean
}

const toConnectionError = (operation: string, cause: unknown, isTimeout: boolean) =>
  isTimeout
    ? new ApiError({ code: 'request_timed_out', message: `${operation}: no response in time`, cause })
    : new ApiError({ code: 'connection_failed', message: `${operation}: the connection failed`, cause })

const attemptOnce = async (
  { operation, url, method, headers, body, signal, isStream }: PreparedRequest,
  token: string | null,
  { fetch, timeoutMs }: SendOptions,
): Promise<Attempt> => {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), toTimerMs(timeoutMs))
  const sent = new Headers(headers)
  if (token !== null) sent.set('authorization', `Bearer ${token}`)
  try {
    const response = await fetch(url, {
      method,
      headers: sent,
      signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
      ...(body === undefined ? {} : { body }),
    })
    // A body that breaks off is a failed attempt too.
    return { response, text: isStream && response.ok ? '' : await response.text() }
  } catch (cause) {
    signal?.throwIfAborted()
    return { connectionError: toConnectionError(operation, cause, timeout.signal.aborted) }
  } finally {
    clearTimeout(timer)
  }
}

/** After a 401, attempts it once more if `getToken` returns a different token. */
const attemptWithToken = async (request: PreparedRequest, token: string | null, options: SendOptions) => {
  const { tokens, signal } = request
  const attempt = await attemptOnce(request, token, options)
  if (!tokens || token === null || !('response' in attempt) || attempt.response.status !== 401) return attempt
  const replacement = await abortable(tokens.replace(token), signal)
  return replacement === token ? attempt : attemptOnce(request, replacement, options)
}

/** Throws an `ApiError` if there is no response, and the signal's reason if the signal is aborted. */
export const send = async (request: PreparedRequest, options: SendOptions) => {
  const { tokens, signal } = request
  for (let done = 0; ; done++) {
    const token = tokens ? await abortable(tokens.get(), signal) : null
    const attempt = await attemptWithToken(request, token, options)
    // The service recognizes idempotency keys only in requests with an account.
    const safety = request.safety === 'key' && token === null ? 'none' : request.safety
    const delayMs = computeRetryDelayMs(attempt, safety, { ...options, done })
    if (delayMs !== null) await wait(delayMs, signal)
    else if ('connectionError' in attempt) throw attempt.connectionError
    else return attempt
  }
}
