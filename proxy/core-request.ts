import type { TraceContext } from '#shared/tracing/trace-context.ts'
import type { BodyProgress } from './body-progress.ts'
import type { ClientOrigin } from './headers/client-origin.ts'

/** What was read of a body before it proved too long to buffer. */
export interface BodyStart {
  /** Emptied as the chunks are sent. */
  readonly chunks: Uint8Array[]
  /** The rest of the body continues this measurement. */
  readonly progress: BodyProgress
  /** Releases the memory reserved for the chunks. Call it once they are sent or dropped. */
  release(): void
}

/** Only the transport writes it; its owner may read at any time. */
export interface ForwardMeter {
  coreMs: number | undefined
  bytesOut: number | undefined
}

export interface CoreRequest {
  readonly method: string
  /** Canonical path and query: the same string that was routed. */
  readonly target: string
  /** `stream` forwards the body as it arrives; bytes are a body that was already read; null means no body. */
  readonly body: Uint8Array | 'stream' | null
  readonly bodyStart: BodyStart | null
  readonly requestId: string
  readonly trace: TraceContext | null
  /** Headers appended to the response: `[name, value, name, value]`. */
  readonly responseHeaders: readonly string[]
  /** Whether the request may be sent again if the connection breaks before the response's first byte. */
  readonly retryable: boolean
  readonly client: ClientOrigin
  /** The route's label, or `unmatched`. Each route gets only a share of the connections. */
  readonly route: string
  /** Whether `responseHeaders` contain `Access-Control-*`, in which case the core's are dropped. */
  readonly replacesCors: boolean
  /**
   * Lower-case names of the `responseHeaders` that replace the core's headers. The exception is `set-cookie`, which is
   * added. Null if nothing is replaced.
   */
  readonly replacedHeaders: ReadonlySet<string> | null
  /** Completely filled in before the client's connection reports its end, and so before the outcome is known. */
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

/** Nothing was written to the client. The caller must send the error response. */
export interface FailedForward {
  readonly kind: 'failed'
  readonly code: CoreFailure
  /** Whole seconds for `Retry-After`. */
  readonly retryAfterS?: number
  /**
   * Why another endpoint may get the request: this one received nothing of it, or the request has no effects and may be
   * sent twice.
   */
  readonly resend?: 'unsent' | 'repeatable'
}

export type ForwardOutcome =
  | { readonly kind: 'completed'; readonly status: number }
  | FailedForward
  /** The core's response broke off. The client's connection was closed so that the client can tell. */
  | { readonly kind: 'truncated'; readonly status: number }
  | { readonly kind: 'client-gone' }

/** Whether a method is safe (RFC 9110, section 9.2.1). TRACE is safe too, but never forwarded. */
export const isSafe = (method: string) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/**
 * Returns the scheme and authority of the core, in lower case. @throws TypeError unless the URL is an http(s) origin,
 * because it would be unclear how to combine a path in it with the forwarded path.
 */
export const parseCoreOrigin = (baseUrl: string): string => {
  const { protocol, origin, href } = new URL(baseUrl)
  const isOrigin = (protocol === 'http:' || protocol === 'https:') && href === `${origin}/`
  if (!isOrigin) throw new TypeError('the URL of the core must be an http or https origin without a path')
  return origin
}
