import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Ports } from '#native-routes/ports.ts'
import type { BodyProgressLimits } from '#proxy/body-progress.ts'
import type { CoreRequest, ForwardOutcome } from '#proxy/core-request.ts'
import { type ClientOrigin, resolveClientOrigin } from '#proxy/headers/client-origin.ts'
import { toHeaders } from '#proxy/headers/header-rules.ts'
import { endOnHalfClose } from '#proxy/node-streams/client-connection.ts'
import type { UndiciTransport } from '#proxy/undici/transport-undici.ts'
import type { Tracer } from '#shared/tracing/trace.ts'
import type { ComposedGateway } from '../app/compose-gateway.ts'
import { recordRejection } from '../app/observers.ts'
import type { BodyReservation } from '../edge/body-budget.ts'
import type { InspectedRequest } from '../edge/inspect-request.ts'
import { contentOf } from '../pages/page-app.ts'
import { type ContextSource, RequestContext } from '../request/context.ts'
import { createCoreErrorResponse, createCoreRequest } from '../request/core-request.ts'
import { createErrorResponseHeaders } from '../request/cors.ts'
import { createRequestUrl, type NativeSide, type Platform } from '../request/platform.ts'
import {
  type BodyChunk,
  createPageHeaders,
  createResponseHeaders,
  errorResponse,
  type GatewayResponse,
  type StreamResponse,
} from '../request/response.ts'
import type { ReceivedRequest, RouteControl } from '../request/route-control.ts'
import { forwardInSpan, startCoreSpan } from '../request/trace.ts'
import { rememberContext } from './error-response.ts'
import type { EdgeListener } from './http-server.ts'
import { readBody, readBodyStart } from './read-body.ts'
import { type WarmUpState, warmUpToken } from './warm-up.ts'
import {
  countUnread,
  mayBeSent,
  streamResponse,
  waitForResponseEnd,
  writeResponse,
} from './write-response.ts'

export interface NodePlatformOptions
  extends Pick<ComposedGateway, 'cors' | 'trusted' | 'bodyBudget' | 'bodyLimitBytes'> {
  readonly bodyProgress: BodyProgressLimits
  readonly tracer: Tracer | null
  readonly transport: UndiciTransport | null
  readonly warmUp: WarmUpState
  readonly native: NativeSide
  readonly ports: Ports
  readonly control: Pick<RouteControl, 'tapCore' | 'untapped' | 'sampleNative'>
}

const firstValue = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)

export const readHeader = ({ headers }: IncomingMessage, name: string) => firstValue(headers[name])

/** The transport writes forwarded responses to the socket itself. */
class NodePlatform implements ContextSource, Platform {
  readonly context: RequestContext
  readonly #options: NodePlatformOptions
  readonly #inspected: InspectedRequest
  readonly #incoming: IncomingMessage
  readonly #outgoing: ServerResponse
  /** Null unless the request belongs to a warm-up. */
  readonly #warmUpTransport: UndiciTransport | null

  constructor(
    options: NodePlatformOptions,
    inspected: InspectedRequest,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ) {
    this.#options = options
    this.#inspected = inspected
    this.#incoming = incoming
    this.#outgoing = outgoing
    this.#warmUpTransport = options.warmUp.transport
    this.context = new RequestContext(this)
  }

  get method() {
    return this.#incoming.method ?? 'GET'
  }

  get target() {
    return this.#inspected.target
  }

  get bodyBudget() {
    return this.#options.bodyBudget
  }

  get tracer() {
    return this.#options.tracer
  }

  get isWarmUp() {
    return this.#warmUpTransport !== null
  }

  get hasBody() {
    return this.#inspected.bodyLength !== 0
  }

  url() {
    return createRequestUrl('http:', this.#inspected)
  }

  header(name: string) {
    return readHeader(this.#incoming, name)
  }

  headers() {
    return toHeaders(this.#incoming.rawHeaders)
  }

  clientAddress() {
    return this.#resolveClient().address
  }

  #resolveClient(): ClientOrigin {
    const { socket, rawHeaders } = this.#incoming
    const peer = { address: socket.remoteAddress ?? '', encrypted: false, host: this.#inspected.host }
    return resolveClientOrigin(rawHeaders, peer, this.#options.trusted)
  }

  onDisconnect(listener: () => void) {
    endOnHalfClose(this.#outgoing)
    this.#outgoing.once('close', () => {
      if (!this.#outgoing.writableFinished) listener()
    })
  }

  read(reservation: BodyReservation, timeoutMs?: number) {
    const { bodyLimitBytes: maxBytes, bodyProgress: progress } = this.#options
    return readBody(this.#incoming, this.#outgoing, reservation, { maxBytes, progress, timeoutMs })
  }

  readStart(reservation: BodyReservation) {
    const { bodyLimitBytes: maxBytes, bodyProgress: progress } = this.#options
    return readBodyStart(this.#incoming, this.#outgoing, reservation, { maxBytes, progress })
  }

  respond(response: GatewayResponse) {
    const context = this.context
    const { status, body = '' } = response
    if (!this.#mayBeSent(body)) return this.#rejectBusy()
    const headers = createResponseHeaders(response, context, this.#options.cors)
    if (!writeResponse(this.#outgoing, context.method, status, headers, body)) return
    countUnread(this.#options.bodyBudget, this.#outgoing, this)
    context.outcome.status = status
    context.outcome.bytesOut = this.#countBody(headers['content-length'])
    if (this.isWarmUp) return
    this.#options.control.sampleNative?.(context, response, () => this.#receive(this.#resolveClient()))
  }

  async sendStream({ status, headers, body, ended }: StreamResponse) {
    const context = this.context
    const response = { status, headers, body: undefined }
    const responseHeaders = createResponseHeaders(response, context, this.#options.cors)
    await streamResponse(this.#outgoing, context.method, new Response(body), responseHeaders, () => {
      context.outcome.status = status
    })
    await ended
  }

  async sendFetchResponse(response: Response, contentLength: string | null) {
    const context = this.context
    const content = contentOf(response)
    if (content && !this.#mayBeSent([content])) return this.#rejectBusy()
    const headers = createPageHeaders(response, contentLength, context, this.#options.cors)
    const sending = streamResponse(this.#outgoing, context.method, response, headers, () => {
      context.outcome.status = response.status
      if (contentLength !== null) context.outcome.bytesOut = this.#countBody(contentLength)
    })
    countUnread(this.#options.bodyBudget, this.#outgoing, this)
    await sending
  }

  #mayBeSent(body: string | readonly BodyChunk[]) {
    return mayBeSent(this.#options.bodyBudget, this.context.method, body, this)
  }

  #rejectBusy() {
    this.context.outcome.error = 'gateway_busy'
    this.respond(errorResponse(new ApiError('gateway_busy')))
  }

  forward(label: Label | null): Promise<void> {
    try {
      const client = this.#resolveClient()
      const request = createCoreRequest(label, this.context, this.#inspected, client, this.#options)
      return request instanceof Promise
        ? request.then((built) => this.#send(label, built))
        : this.#send(label, request)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  // Not async: the state of an async function is a tenth of a waiting request's memory. Callers turn a throw into a
  // rejection.
  #send(label: Label | null, request: CoreRequest): Promise<void> {
    const { control } = this.#options
    const transport = this.#warmUpTransport ?? this.#options.transport
    if (!transport) throw new Error('cannot forward: CORE_BASE_URL is none')
    const observed = this.isWarmUp ? null : label
    const tap =
      observed === null
        ? undefined
        : control.tapCore?.(observed, this.context, () => this.#receive(request.client))
    const span = startCoreSpan(this.context)
    const forwarding =
      span === null
        ? transport.forward(this.#incoming, this.#outgoing, request, tap)
        : forwardInSpan(span, () =>
            transport.forward(this.#incoming, this.#outgoing, { ...request, trace: span.context }, tap),
          )
    return forwarding.then((outcome) => this.#finishForward(outcome, tap ? null : observed))
  }

  // `untapped` is the label of a response that no tap received; null for other responses and for unmatched requests.
  #finishForward(outcome: ForwardOutcome, untapped: Label | null) {
    if (outcome.kind === 'completed' && untapped !== null)
      this.#options.control.untapped?.(untapped, this.context, outcome.status)
    if (outcome.kind === 'failed') return this.respond(createCoreErrorResponse(outcome, this.context))
    if (outcome.kind === 'truncated') this.context.outcome.error = 'core_bad_response'
    if (this.#outgoing.headersSent) this.context.outcome.status = this.#outgoing.statusCode
  }

  #countBody(contentLength: string | readonly string[] = '0') {
    return this.context.method === 'HEAD' ? 0 : Number(contentLength)
  }

  #receive(client: ClientOrigin): ReceivedRequest {
    const { rawHeaders: headers, httpVersion } = this.#incoming
    return { target: this.#inspected.target.target, headers, httpVersion, client }
  }

  withNative<T>(work: (native: NativeSide, ports: Ports) => Promise<T>) {
    const { native, ports } = this.#options
    return work(native, ports)
  }

  abandon() {
    this.context.outcome.status ??= 499
  }

  destroy() {
    if (!this.#outgoing.writableFinished) this.#outgoing.destroy()
  }

  waitForEnd() {
    return waitForResponseEnd(this.#outgoing)
  }
}

export const createNodeListener = (options: ComposedGateway & NodePlatformOptions): EdgeListener => {
  const { app, cors, metrics, observers } = options
  return {
    onRequest(incoming, outgoing, inspected) {
      const platform = new NodePlatform(options, inspected, incoming, outgoing)
      const { context } = platform
      if (context.isWarmUp) {
        context.verifiedToken = warmUpToken
        void app.serve({ context, platform })
        return
      }
      if (inspected.bodyLength !== 0) rememberContext(incoming, context)
      context.outcome.bytesIn = inspected.bodyLength ?? undefined
      metrics.beginRequest()
      // `once`, because a response may live on in the heap's old generation, and its listener would keep the whole
      // request alive.
      outgoing.once('close', () => {
        metrics.endRequest()
        const { outcome } = context
        if (outgoing.headersSent && !outgoing.writableFinished) outcome.error ??= 'client_gone'
        const status = outgoing.headersSent ? outgoing.statusCode : 499
        observers.ended({ context, status, durationMs: context.durationMs() })
      })
      void app.serve({ context, platform })
    },

    bodyBudget: options.bodyBudget,

    onRejected: (rejection) => recordRejection(options, rejection),

    additionalHeaders: (incoming) =>
      createErrorResponseHeaders(cors, {
        method: incoming.method ?? '',
        target: incoming.url ?? '',
        header: (name) => readHeader(incoming, name),
      }),
  }
}
