import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Label } from '#contracts/route-table.ts'
import type { Ports } from '#native-routes/ports.ts'
import { type ClientOrigin, resolveClientOrigin } from '#proxy/headers/client-origin.ts'
import type { TrustedProxies } from '#proxy/headers/trusted-proxies.ts'
import type { UndiciTransport } from '#proxy/undici/transport-undici.ts'
import type { ComposedGateway } from '../app/compose-gateway.ts'
import type { LiveComparisons } from '../comparisons/live-comparisons.ts'
import type { ReceivedRequest } from '../comparisons/sample.ts'
import type { InspectedRequest } from '../edge/inspect-request.ts'
import type { RequestContext } from '../request/context.ts'
import { createRequestUrl, type RequestSource } from '../request/lazy-request.ts'
import type { NativeSide, Platform } from '../request/platform.ts'
import type { GatewayResponse, StreamResponse } from '../request/response.ts'
import { createPageHeaders, createResponseHeaders } from '../request/response-headers.ts'
import { continueSpan, forwardInSpan, startCoreSpan } from '../request/trace/core-span.ts'
import { createUpstreamErrorResponse, createUpstreamRequest } from '../request/upstream-request.ts'
import { streamResponse, waitForResponseEnd, writeResponse } from './write-response.ts'

/** Shared by all requests of the process. */
export interface NodePlatformOptions extends Pick<ComposedGateway, 'cors' | 'trusted' | 'bodyLimitBytes'> {
  /** Null if no core is configured; no request is then forwarded. */
  readonly transport: UndiciTransport | null
  readonly native: NativeSide
  readonly ports: Ports
  /** Null if no core is configured. */
  readonly comparisons: LiveComparisons | null
}

/** Resolves the address, protocol and host that the client used. */
export const resolveClient = (
  { socket, rawHeaders }: IncomingMessage,
  { host }: InspectedRequest,
  trusted: TrustedProxies,
): ClientOrigin =>
  resolveClientOrigin(rawHeaders, { address: socket.remoteAddress ?? '', encrypted: false, host }, trusted)

export const readHeaders = ({ rawHeaders }: IncomingMessage) => {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  return headers
}

/** One request on Node. Forwarded responses are written to the socket by the transport. */
export class NodePlatform implements Platform, RequestSource {
  readonly #options: NodePlatformOptions
  readonly #context: RequestContext
  readonly #inspected: InspectedRequest
  readonly #incoming: IncomingMessage
  readonly #outgoing: ServerResponse

  constructor(
    options: NodePlatformOptions,
    context: RequestContext,
    inspected: InspectedRequest,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ) {
    this.#options = options
    this.#context = context
    this.#inspected = inspected
    this.#incoming = incoming
    this.#outgoing = outgoing
  }

  get hasBody() {
    return this.#inspected.bodyLength !== 0
  }

  get method() {
    return this.#context.method
  }

  url() {
    return createRequestUrl('http:', this.#inspected)
  }

  headers() {
    return readHeaders(this.#incoming)
  }

  respond(response: GatewayResponse) {
    const context = this.#context
    const headers = createResponseHeaders(response, context, this.#options.cors)
    const { status, body = '' } = response
    if (!writeResponse(this.#outgoing, context.method, status, headers, body)) return
    context.outcome.status = status
    context.outcome.bytesOut = this.#countBody(headers['content-length'])
    this.#options.comparisons?.observeNative(context, response, () => this.#receive(this.#resolveClient()))
  }

  async sendStream({ status, headers, body, ended }: StreamResponse) {
    const context = this.#context
    const response = { status, headers, body: undefined }
    const responseHeaders = createResponseHeaders(response, context, this.#options.cors)
    await streamResponse(this.#outgoing, context.method, new Response(body), responseHeaders, () => {
      context.outcome.status = status
    })
    await ended
  }

  sendFetchResponse(response: Response, contentLength: string | null) {
    const context = this.#context
    const headers = createPageHeaders(response, contentLength, context, this.#options.cors)
    return streamResponse(this.#outgoing, context.method, response, headers, () => {
      context.outcome.status = response.status
      if (contentLength !== null) context.outcome.bytesOut = this.#countBody(contentLength)
    })
  }

  async forward(label: Label | null) {
    const { transport, comparisons } = this.#options
    if (!transport) throw new Error('cannot forward: CORE_BASE_URL is none')
    const client = this.#resolveClient()
    const upstream = createUpstreamRequest(label, this.#context, this.#inspected, client, this.#options)
    const sent = upstream instanceof Promise ? await upstream : upstream
    const tap =
      label === null ? undefined : comparisons?.tapCore(label, this.#context, () => this.#receive(client))
    const span = startCoreSpan(this.#context)
    const traced = continueSpan(sent, span)
    const forward = () => transport.forward(this.#incoming, this.#outgoing, traced, tap)
    const outcome = await (span === null ? forward() : forwardInSpan(span, forward))
    if (outcome.kind === 'completed' && label !== null && !tap)
      comparisons?.recordCore(label, this.#context, outcome.status)
    if (outcome.kind === 'failed') return this.respond(createUpstreamErrorResponse(outcome, this.#context))
    if (outcome.kind === 'truncated') this.#context.outcome.error = 'core_bad_response'
    if (this.#outgoing.headersSent) this.#context.outcome.status = this.#outgoing.statusCode
  }

  #countBody(contentLength: string | readonly string[] = '0') {
    return this.#context.method === 'HEAD' ? 0 : Number(contentLength)
  }

  #resolveClient() {
    return resolveClient(this.#incoming, this.#inspected, this.#options.trusted)
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
    this.#context.outcome.status ??= 499
  }

  destroy() {
    if (!this.#outgoing.writableFinished) this.#outgoing.destroy()
  }

  waitForEnd() {
    return waitForResponseEnd(this.#outgoing)
  }
}
