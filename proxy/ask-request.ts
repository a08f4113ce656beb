import type { CoreResponse } from './core-response.ts'
import type { ClientOrigin } from './headers/client-origin.ts'
import type { CoreFailure } from './upstream-request.ts'

/** A GET that the gateway sends to the core itself, besides the requests that it forwards. */
export interface AskRequest {
  /** Canonical path and query. */
  readonly target: string
  /** As a client sent them, `[name, value, name, value]`; the rules of forwarded requests apply. */
  readonly headers: readonly string[]
  /** The HTTP version of the client's request, as in `Via`: `1.1`. */
  readonly httpVersion: string
  readonly client: ClientOrigin
  readonly requestId: string
  /** Adds `x-service-shadow: 1`, by which a core that knows the header does not record the request as an event. */
  readonly isShadow: boolean
  /** How long it may wait for a connection; a request that would wait longer is dropped. */
  readonly connectionTimeoutMs: number
  /** From the moment it has a connection to the end of the response. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

export type AskOutcome =
  /** A body of more than 64 KiB is not read to its end. */
  | { readonly kind: 'completed'; readonly response: CoreResponse }
  /**
   * Nothing was sent: no connection was free in time, the circuit breaker is not closed, the request has passed through
   * this deployment before, or the transport is closed.
   */
  | { readonly kind: 'dropped'; readonly reason: 'no-connection' | 'breaker' | 'loop' | 'closed' }
  | {
      readonly kind: 'failed'
      readonly code: Extract<
        CoreFailure,
        'core_unavailable' | 'core_timeout' | 'core_bad_response' | 'bad_request'
      >
    }
  /** By its signal, or because the transport was closed. */
  | { readonly kind: 'aborted' }
