import { ApiError } from '#contracts/errors.ts'
import { ClientGoneError } from '../../edge/client-gone-error.ts'
import type { StreamResponse } from '../../request/response.ts'
import { NativeTimeout } from '../to-api-error.ts'
import type { EventResponse } from './run-stream.ts'
import { everyInterval, sendEvents } from './send-events.ts'

interface StreamLimits {
  readonly timeoutMs: number
  readonly heartbeatMs: number
}

/** Starts to send events. `report` is called with an error that ends them, other than a client that has disconnected. */
export const startStream = (
  { headers, events, cancellation: { signal, cancel } }: EventResponse,
  { timeoutMs, heartbeatMs }: StreamLimits,
  report: (error: unknown) => ApiError,
): StreamResponse => {
  const timer = setTimeout(
    () => cancel(new NativeTimeout(`the stream did not end within ${timeoutMs} ms`)),
    timeoutMs,
  )
  const response = sendEvents(events, {
    headers,
    signal,
    cancel: () => cancel(new ClientGoneError()),
    heartbeatMs,
    every: everyInterval,
    toApiError: (error) =>
      error instanceof ClientGoneError ? new ApiError('internal_error') : report(error),
  })
  return { ...response, ended: response.ended.finally(() => clearTimeout(timer)) }
}
