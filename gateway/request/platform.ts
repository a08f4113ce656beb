import type { Label } from '#contracts/route-table.ts'
import type { Ports } from '#native-routes/ports.ts'
import type { InspectedRequest } from '../edge/inspect-request.ts'
import type { FallbackReason, RequestContext } from './context.ts'
import type { LocalDecision, RowDecision } from './decide.ts'
import type { GatewayResponse, StreamResponse, TextResponse } from './response.ts'

/** A fallback reason means that there was certainly no effect, so the core may serve the request instead. */
export type ResponseOrFallback = GatewayResponse | StreamResponse | FallbackReason

/** Serves and rejects requests natively. Forwarded requests need it only if they have an idempotency key. */
export interface NativeSide {
  serve(decision: LocalDecision, context: RequestContext, ports: Ports): Promise<ResponseOrFallback>
  /** A fallback reason means that the core got an earlier attempt and must get this one too. */
  findReplay(
    decision: RowDecision,
    context: RequestContext,
    ports: Ports,
  ): Promise<TextResponse | FallbackReason | null>
}

export interface Platform {
  readonly method: string
  url(): string
  readonly hasBody: boolean
  headers(): Headers
  /** Does nothing if a head was already sent or the client disconnected. */
  respond(response: GatewayResponse): void
  /** Resolves when the response and the work behind it have ended; never rejects. */
  sendStream(response: StreamResponse): Promise<void>
  /** Streams the body if `contentLength` is null. */
  sendFetchResponse(response: Response, contentLength: string | null): Promise<void>
  forward(label: Label | null): Promise<void>
  /** Runs `work` with the native side and this request's ports, then closes what was opened for it. */
  withNative<T>(work: (native: NativeSide, ports: Ports) => Promise<T>): Promise<T>
  /** Handles a client that disconnected while sending its body. Writes no response. */
  abandon(): void
  /** Aborts a partly sent response, so the client cannot mistake it for a complete one. */
  destroy(): void
  /** Resolves when the response has ended, or on Workers when its head is ready. */
  waitForEnd(): Promise<void>
}

export interface GatewayBindings {
  /** After `next()` it also has the response's status, runtime and duration. */
  readonly context: RequestContext
  /** Internal: middleware should not use it. */
  readonly platform: Platform
}

export interface GatewayEnv {
  Bindings: GatewayBindings
}

const rejectBody = (): never => {
  throw new Error(
    'middleware cannot read the request body: it can be read only once, by the handler or the core',
  )
}

/** A platform `Request` costs more than serving a typical request, and would let middleware consume the body first. */
class ThinRequest {
  readonly #platform: Platform
  readonly method: string
  #headers: Headers | undefined

  constructor(platform: Platform) {
    this.#platform = platform
    this.method = platform.method
  }

  get url() {
    return this.#platform.url()
  }

  get headers() {
    this.#headers ??= this.#platform.headers()
    return this.#headers
  }

  get body() {
    return this.#platform.hasBody ? rejectBody() : null
  }

  static {
    for (const name of ['text', 'json', 'bytes', 'blob', 'formData', 'arrayBuffer'])
      Object.defineProperty(ThinRequest.prototype, name, { value: async () => rejectBody() })
  }

  clone() {
    return rejectBody()
  }
}

// Hono's types require a full Request, but Hono uses none of the missing members.
const asRequest = (request: ThinRequest) => request as unknown as Request

export const createThinRequest = (platform: Platform): Request => asRequest(new ThinRequest(platform))

/** Replaces a host that is valid in HTTP but not in a URL, such as `999.1.1.1`. */
export const createRequestUrl = (protocol: 'http:' | 'https:', { host, target }: InspectedRequest) => {
  const path = target.target.startsWith('/') ? target.target : `/${target.target}`
  const url = `${protocol}//${host}${path}`
  return URL.canParse(url) ? url : `${protocol}//localhost${path}`
}
