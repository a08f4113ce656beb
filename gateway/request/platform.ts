import type { Label } from '#contracts/route-table.ts'
import type { Ports } from '#native-routes/ports.ts'
import type { RequestContext } from './context.ts'
import type { LocalDecision, RowDecision } from './decide.ts'
import type { FallbackReason } from './outcome.ts'
import type { GatewayResponse, StreamResponse, TextResponse } from './response.ts'
import type { RequestSource } from './thin-request.ts'

/** What native made of a request. A reason: it certainly had no effect, and the core may serve the request instead. */
export type ResponseOrFallback = GatewayResponse | StreamResponse | FallbackReason

/** Serves and rejects requests natively. Requests that are forwarded need it only if they have an idempotency key. */
export interface NativeSide {
  serve(decision: LocalDecision, context: RequestContext, ports: Ports): Promise<ResponseOrFallback>
  /**
   * Finds the stored response of a request with an idempotency key; null for none. A reason: the core got an earlier
   * attempt, and must get this one instead of native.
   */
  findReplay(
    decision: RowDecision,
    context: RequestContext,
    ports: Ports,
  ): Promise<TextResponse | FallbackReason | null>
}

/** The platform-specific operations on one request: reading and forwarding it, and writing its response. */
export interface Platform extends RequestSource {
  /** Writes a response of the gateway. Does nothing if a response head was sent or the client disconnected. */
  respond(response: GatewayResponse): void
  /** Writes a response while its body is made, and resolves when both have ended. Never rejects. */
  sendStream(response: StreamResponse): Promise<void>
  /** Writes the response of a page or middleware; streams its body if `contentLength` is null. */
  sendFetchResponse(response: Response, contentLength: string | null): Promise<void>
  /** Forwards the request to the core; `label` is null if it matched no row. */
  forward(label: Label | null): Promise<void>
  /** Runs `work` with the native side and the ports of this request, then closes what was opened for this request. */
  withNative<T>(work: (native: NativeSide, ports: Ports) => Promise<T>): Promise<T>
  /** Handles a client that disconnected while sending its body: no response is written. */
  abandon(): void
  /** Aborts the connection of a partly sent response, so the client cannot take it for a complete one. */
  destroy(): void
  /** Resolves when the response has ended, or on Workers when its head is ready. */
  waitForEnd(): Promise<void>
}

/** What the Hono context of each request provides. */
export interface GatewayBindings {
  /** Of the request; after `next()` it also has the status, runtime and duration of the response. */
  readonly context: RequestContext
  /** Internal: middleware should not use it. */
  readonly platform: Platform
}

/** The environment of the Hono app. */
export interface GatewayEnv {
  Bindings: GatewayBindings
}
