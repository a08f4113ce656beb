import type { ClientOrigin } from './headers/client-origin.ts'

/** One request on its way to the core, as the gateway has decided it. */
export interface UpstreamRequest {
  readonly method: string
  /** Canonical path and query: the very string the route was looked up with. */
  readonly target: string
  /** `stream` sends the body on while it arrives; bytes are a body that was read before; null is no body. */
  readonly body: Uint8Array | 'stream' | null
  readonly requestId: string
  /** Flat list of names and values that stand last on the answer: `[name, value, name, value]`. */
  readonly responseHeaders: readonly string[]
  /** May be sent a second time when the connection breaks before the first byte of an answer. */
  readonly retryable: boolean
  readonly client: ClientOrigin
  /** The stamp carries `Access-Control-*`, so the core's own are dropped. */
  readonly replacesCors: boolean
  /**
   * Lower-case names of headers that are set in `responseHeaders`: the core's own headers of these names are dropped,
   * except `set-cookie`, which is sent beside them. Null where no header is replaced.
   */
  readonly replacedHeaders: ReadonlySet<string> | null
}

export type CoreFailure =
  | 'core_unavailable'
  | 'core_timeout'
  | 'core_bad_response'
  | 'loop_detected'
  | 'request_timeout'
  | 'bad_request'

/** Nothing was written to the client: the gateway still owes it an answer. */
export interface FailedForward {
  readonly kind: 'failed'
  readonly code: CoreFailure
  /** Whole seconds, for `Retry-After`. */
  readonly retryAfterS?: number
}

export type ForwardOutcome =
  | { readonly kind: 'completed'; readonly status: number }
  | FailedForward
  /** The core broke off inside its answer; the client's connection was closed without a clean end. */
  | { readonly kind: 'truncated'; readonly status: number }
  | { readonly kind: 'client-gone' }

/** Whether a method asks for nothing but an answer (RFC 9110, section 9.2.1). */
export const isSafe = (method: string) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
