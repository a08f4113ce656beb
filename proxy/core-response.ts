import type { CoreFailure } from './core-request.ts'
import type { ClientOrigin } from './headers/client-origin.ts'

/** The longest body that is copied for a comparison. */
export const maxCopiedBytes = 65_536

export interface CoreResponse {
  readonly status: number
  /** As the core sent them, hop-by-hop headers included: `[name, value, name, value]`. */
  readonly headers: readonly string[]
  /** Not decoded; null if longer than 64 KiB. */
  readonly body: Buffer | null
  /** Milliseconds from dispatch to response head. Queueing does not count. */
  readonly timeToHeadMs: number
  /** Milliseconds from dispatch to the response's end or, for a body over 64 KiB, to where reading stopped. */
  readonly durationMs: number
}

/**
 * Receives the core's complete response to a forwarded request, but not if the response broke off or the client
 * disconnected. Called synchronously, so it must return quickly. Errors it throws are ignored. It returns `undefined`
 * rather than a promise, because nothing would handle a rejection.
 */
export type ResponseTap = (response: CoreResponse) => undefined

export interface AskRequest {
  readonly target: string
  /** As a client sent them, `[name, value, name, value]`. Changed in the same way as those of a forwarded request. */
  readonly headers: readonly string[]
  /** HTTP version of the client's request, as in `Via`: `1.1`. */
  readonly httpVersion: string
  readonly client: ClientOrigin
  readonly requestId: string
  /** Adds `x-service-shadow: 1`, which tells a core that knows the header not to record an event. */
  readonly isShadow: boolean
  /** How long the request may wait for a connection before it is dropped. */
  readonly connectionTimeoutMs: number
  /** How long the request may take from getting a connection to the end of the response. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

export type AskOutcome =
  /** A body over 64 KiB is not read to its end. */
  | { readonly kind: 'completed'; readonly response: CoreResponse }
  /**
   * Nothing was sent: no connection was free in time, the circuit breaker was not closed, the request had already
   * passed through this deployment, or the transport was closed.
   */
  | { readonly kind: 'dropped'; readonly reason: 'no-connection' | 'breaker' | 'loop' | 'closed' }
  | {
      readonly kind: 'failed'
      readonly code: Extract<
        CoreFailure,
        'core_unavailable' | 'core_timeout' | 'core_bad_response' | 'bad_request'
      >
    }
  /** Aborted by its signal, or because the transport closed. */
  | { readonly kind: 'aborted' }
