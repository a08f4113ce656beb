import type { BodyStart } from '#proxy/upstream-request.ts'
import type { Tracer } from '#shared/tracing/trace.ts'
import type { BodyBudget, BodyReservation } from '../edge/body-budget.ts'
import { createInitialOutcome, noParams, type RequestContext, sanitizeRequestId } from './context.ts'
import { startRequestTrace } from './trace/request-trace.ts'

/** What a platform knows of a request, and how it reads the rest of it. */
export interface ContextSource {
  readonly method: string
  /** Canonical. */
  readonly path: string
  readonly hasRewrittenPath: boolean
  /** The query with its `?`; empty if there is none. */
  readonly search: string
  /** `name` in lower case. */
  header(name: string): string | undefined
  clientAddress(): string
  /** Absent if the request has no client that could disconnect. */
  onDisconnect?(listener: () => void): void
  readonly bodyBudget: BodyBudget
  /** Absent if no spans are recorded. */
  readonly tracer?: Tracer | null
  /** Called at most once, by the first `readBody`; `timeoutMs`, if given, limits the whole body. */
  read(reservation: BodyReservation, timeoutMs?: number): Promise<Uint8Array>
  /** Absent if bodies of unknown length are streamed from their first byte. */
  readStart?(reservation: BodyReservation): Promise<Uint8Array | BodyStart>
}

const noHeaders: Readonly<Record<string, string>> = {}

/**
 * The context of a request on any platform. Thousands of requests may wait for the core at once, so it has methods
 * and no closures: see "request that waits" in bench/README.md.
 */
class SourcedRequestContext implements RequestContext {
  readonly requestId: string
  readonly trace: RequestContext['trace']
  readonly method: string
  readonly path: string
  readonly hasRewrittenPath: boolean
  readonly query: string
  params = noParams
  readonly outcome: RequestContext['outcome']
  errorHeaders = noHeaders
  addedHeaders: RequestContext['addedHeaders'] = null
  verifiedToken: RequestContext['verifiedToken'] = null
  idempotentRequest: RequestContext['idempotentRequest'] = null
  limitStatuses: RequestContext['limitStatuses'] = null
  readonly #source: ContextSource
  readonly #startedAt = performance.now()
  #body: Promise<Uint8Array> | null = null
  #bodyStart: Promise<Uint8Array | BodyStart> | null = null
  #reservation: BodyReservation | null = null
  #isReleased = false

  constructor(source: ContextSource) {
    const { method, path, tracer = null } = source
    this.#source = source
    this.method = method
    this.path = path
    this.hasRewrittenPath = source.hasRewrittenPath
    this.query = source.search.slice(1)
    // Probes and other pages would be most of what is recorded.
    this.trace = startRequestTrace(path.startsWith('/v1') ? tracer : null, source)
    this.requestId = sanitizeRequestId(source.header('x-request-id'))
    this.outcome = createInitialOutcome()
  }

  header(name: string) {
    return this.#source.header(name)
  }

  clientAddress() {
    return this.#source.clientAddress()
  }

  onDisconnect(listener: () => void) {
    this.#source.onDisconnect?.(listener)
  }

  readBody(timeoutMs?: number) {
    this.#body ??= this.#reserve((reservation) => this.#source.read(reservation, timeoutMs))
    return this.#body
  }

  readBodyStart() {
    const source = this.#source
    const { readStart } = source
    if (!readStart) return null
    this.#bodyStart ??= this.#reserve((reservation) => readStart.call(source, reservation))
    return this.#bodyStart
  }

  hasReadBody() {
    return this.#body !== null
  }

  releaseBody() {
    this.#isReleased = true
    this.#body = null
    this.#bodyStart = null
    this.#reservation?.release()
  }

  durationMs() {
    return performance.now() - this.#startedAt
  }

  async #reserve<T>(read: (reservation: BodyReservation) => Promise<T>): Promise<T> {
    if (this.#isReleased) throw new Error('cannot read the body: releaseBody was already called')
    const reservation = this.#source.bodyBudget.reserve(this.#source.clientAddress())
    this.#reservation = reservation
    try {
      return await read(reservation)
    } catch (error) {
      reservation.release()
      throw error
    }
  }
}

/** Creates the context of a request on any platform. Its route is entered when the app has found it. */
export const createRequestContext = (source: ContextSource): RequestContext =>
  new SourcedRequestContext(source)
