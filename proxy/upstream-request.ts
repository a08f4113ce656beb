import type { TraceContext } from '#shared/tracing/trace-context.ts'
import type { BodyProgress } from './body-progress.ts'
import type { ClientOrigin } from './headers/client-origin.ts'

/** What was read of a body before it turned out to be too long to be buffered. */
export interface BodyStart {
  /** Emptied while they are sent. */
  readonly chunks: Uint8Array[]
  /** The progress so far, which the rest continues. */
  readonly progress: BodyProgress
  /** Returns the memory of the chunks; to be called when they are sent or dropped. */
  release(): void
}

/** What the transport measures while it forwards. It alone writes it, and its owner may read it at any time. */
export interface ForwardMeter {
  /** From sending the request until the head of the response. */
  coreMs: number | undefined
  /** Bytes of the body that were passed to the client. */
  bytesOut: number | undefined
}

/** A request as it is sent to the core. */
export interface UpstreamRequest {
  readonly method: string
  /** Canonical path and query: the same string that the route was looked up with. */
  readonly target: string
  /** `stream` forwards the body while it arrives; bytes are a body that was read before; null is no body. */
  readonly body: Uint8Array | 'stream' | null
  /** What precedes the rest of a streamed body; null if none of the body was read. */
  readonly bodyStart: BodyStart | null
  readonly requestId: string
  /** The trace that the core continues; null if the request belongs to none. */
  readonly trace: TraceContext | null
  /** Headers that are added at the end of the response, as a flat list: `[name, value, name, value]`. */
  readonly responseHeaders: readonly string[]
  /** May be sent a second time when the connection breaks before the first byte of a response. */
  readonly retryable: boolean
  readonly client: ClientOrigin
  /** The label of the route, or `unmatched`: each route may have only a share of the connections in use. */
  readonly route: string
  /** `responseHeaders` contain `Access-Control-*`, so those of the core are dropped. */
  readonly replacesCors: boolean
  /**
   * Lower-case names of headers that are set in `responseHeaders`: the core's own headers of these names are dropped,
   * except `set-cookie`, which is sent in addition. Null if no header is replaced.
   */
  readonly replacedHeaders: ReadonlySet<string> | null
  /** Complete before the connection of the client reports its end, which is before the outcome is known. */
  readonly meter?: ForwardMeter
}

export type CoreFailure =
  | 'core_unavailable'
  | 'core_timeout'
  | 'core_bad_response'
  | 'gateway_busy'
  | 'loop_detected'
  | 'request_timeout'
  | 'bad_request'

/** Nothing was written to the client: the caller has to send the error response. */
export interface FailedForward {
  readonly kind: 'failed'
  readonly code: CoreFailure
  /** Whole seconds, for `Retry-After`. */
  readonly retryAfterS?: number
  /**
   * Why another endpoint of the core may get the request, if there is one: this one has received nothing of it, or the
   * request has no effects and may be sent twice.
   */
  readonly resend?: 'unsent' | 'repeatable'
}

export type ForwardOutcome =
  | { readonly kind: 'completed'; readonly status: number }
  | FailedForward
  /** The response of the core is incomplete; the client's connection was closed so that it can tell. */
  | { readonly kind: 'truncated'; readonly status: number }
  | { readonly kind: 'client-gone' }

/** Whether a method is safe (RFC 9110, section 9.2.1). TRACE, which is safe too, is never forwarded. */
export const isSafe = (method: string) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/**
 * Scheme and authority of the core, in lower case.
 * @throws TypeError if the URL is not an http(s) origin: a path in it would be ambiguous with the forwarded path.
 */
export const parseCoreOrigin = (baseUrl: string): string => {
  const { protocol, origin, href } = new URL(baseUrl)
  const isOrigin = (protocol === 'http:' || protocol === 'https:') && href === `${origin}/`
  if (!isOrigin) throw new TypeError('the URL of the core must be an http or https origin without a path')
  return origin
}
