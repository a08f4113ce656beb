import type { ClientOrigin } from './headers/client-origin.ts'
import type { CoreFailure } from './upstream-request.ts'

/** A complete response of the core, in memory of its own. */
export interface CoreResponse {
  readonly status: number
  /** Names and values as the core sent them: `[name, value, name, value]`, hop-by-hop headers included. */
  readonly headers: readonly string[]
  /** Still encoded as the core sent it; null if it has more than 64 KiB. */
  readonly body: Buffer | null
  /** Milliseconds from the dispatch of the request to the head of the response; waiting in a queue does not count. */
  readonly timeToHeadMs: number
  /** Milliseconds from the dispatch to the end of the response, or to where a longer body was no longer read. */
  readonly durationMs: number
}

/**
 * Receives the response of the core to a forwarded request once it is complete; never one that the core broke off or
 * whose client disconnected before. It is called synchronously, so it has to return soon. What it throws is ignored. It
 * cannot be asynchronous, as nothing would handle its rejection: a function whose result is `void` may return a promise.
 */
export type ResponseTap = (response: CoreResponse) => undefined

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
