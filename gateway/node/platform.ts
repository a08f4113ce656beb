import { ApiError } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Ports } from '#native-routes/ports.ts'
import type { ClientOrigin } from '#proxy/headers/client-origin.ts'
import type { UndiciTransport } from '#proxy/undici/transport-undici.ts'
import type { ForwardOutcome, UpstreamRequest } from '#proxy/upstream-request.ts'
import type { ComposedGateway } from '../app/compose-gateway.ts'
import { contentOf } from '../pages/page-app.ts'
import { RequestContext } from '../request/context.ts'
import { createCoreErrorResponse, createCoreRequest } from '../request/core-request.ts'
import type { NativeSide, Platform } from '../request/platform.ts'
import {
  type BodyChunk,
  errorResponse,
  type GatewayResponse,
  type StreamResponse,
} from '../request/response.ts'
import { createPageHeaders, createResponseHeaders } from '../request/response-headers.ts'
import type { ReceivedRequest, RouteControl } from '../request/route-control.ts'
import { continueSpan, forwardInSpan, startCoreSpan } from '../request/trace.ts'
import { NodeRequest, type NodeRequestOptions } from './node-request.ts'
import { countUnread, mayBeSent } from './unread-responses.ts'
import { streamResponse, waitForResponseEnd, writeResponse } from './write-response.ts'

/** Shared by all requests of the process. */
export interface NodePlatformOptions extends NodeRequestOptions, Pick<ComposedGateway, 'cors'> {
  /** Null if no core is configured; no request is then forwarded. */
  readonly transport: UndiciTransport | null
  readonly native: NativeSide
  readonly ports: Ports
  readonly control: Pick<RouteControl, 'tapCore' | 'untapped' | 'sampleNative'>
}

/** One request on Node. Forwarded responses are written to the socket by the transport. */
export class NodePlatform extends NodeRequest<NodePlatformOptions> implements Platform {
  readonly context: RequestContext = new RequestContext(this)

  respond(response: GatewayResponse) {
    const context = this.context
    const { status, body = '' } = response
    if (!this.#mayBeSent(body)) return this.#rejectBusy()
    const headers = createResponseHeaders(response, context, this.options.cors)
    if (!writeResponse(this.outgoing, context.method, status, headers, body)) return
    countUnread(this.options.bodyBudget, this.outgoing, this)
    context.outcome.status = status
    context.outcome.bytesOut = this.#countBody(headers['content-length'])
    this.options.control.sampleNative?.(context, response, () => this.#receive(this.resolveClient()))
  }

  async sendStream({ status, headers, body, ended }: StreamResponse) {
    const context = this.context
    const response = { status, headers, body: undefined }
    const responseHeaders = createResponseHeaders(response, context, this.options.cors)
    await streamResponse(this.outgoing, context.method, new Response(body), responseHeaders, () => {
      context.outcome.status = status
    })
    await ended
  }

  async sendFetchResponse(response: Response, contentLength: string | null) {
    const context = this.context
    const content = contentOf(response)
    if (content && !this.#mayBeSent([content])) return this.#rejectBusy()
    const headers = createPageHeaders(response, contentLength, context, this.options.cors)
    const sending = streamResponse(this.outgoing, context.method, response, headers, () => {
      context.outcome.status = response.status
      if (contentLength !== null) context.outcome.bytesOut = this.#countBody(contentLength)
    })
    countUnread(this.options.bodyBudget, this.outgoing, this)
    await sending
  }

  #mayBeSent(body: string | readonly BodyChunk[]) {
    return mayBeSent(this.options.bodyBudget, this.context.method, body, this)
  }

  #rejectBusy() {
    this.context.outcome.error = 'gateway_busy'
    this.respond(errorResponse(new ApiError('gateway_busy')))
  }

  forward(label: Label | null): Promise<void> {
    try {
      const client = this.resolveClient()
      const upstream = createCoreRequest(label, this.context, this.inspected, client, this.options)
      return upstream instanceof Promise
        ? upstream.then((sent) => this.#send(label, sent))
        : this.#send(label, upstream)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  // Not async: what an async function keeps while it waits is a tenth of a waiting request. Its callers turn what it throws
  // into a rejection.
  #send(label: Label | null, sent: UpstreamRequest): Promise<void> {
    const { transport, control } = this.options
    if (!transport) throw new Error('cannot forward: CORE_BASE_URL is none')
    const tap =
      label === null ? undefined : control.tapCore?.(label, this.context, () => this.#receive(sent.client))
    const span = startCoreSpan(this.context)
    const forwarding =
      span === null
        ? transport.forward(this.incoming, this.outgoing, sent, tap)
        : forwardInSpan(span, () =>
            transport.forward(this.incoming, this.outgoing, continueSpan(sent, span), tap),
          )
    return forwarding.then((outcome) => this.#finishForward(outcome, tap ? null : label))
  }

  /** `untapped` is the label of a response that no tap received; null for others, and if no row matched. */
  #finishForward(outcome: ForwardOutcome, untapped: Label | null) {
    if (outcome.kind === 'completed' && untapped !== null)
      this.options.control.untapped?.(untapped, this.context, outcome.status)
    if (outcome.kind === 'failed') return this.respond(createCoreErrorResponse(outcome, this.context))
    if (outcome.kind === 'truncated') this.context.outcome.error = 'core_bad_response'
    if (this.outgoing.headersSent) this.context.outcome.status = this.outgoing.statusCode
  }

  #countBody(contentLength: string | readonly string[] = '0') {
    return this.context.method === 'HEAD' ? 0 : Number(contentLength)
  }

  #receive(client: ClientOrigin): ReceivedRequest {
    const { rawHeaders: headers, httpVersion } = this.incoming
    return { target: this.inspected.target.target, headers, httpVersion, client }
  }

  withNative<T>(work: (native: NativeSide, ports: Ports) => Promise<T>) {
    const { native, ports } = this.options
    return work(native, ports)
  }

  abandon() {
    this.context.outcome.status ??= 499
  }

  destroy() {
    if (!this.outgoing.writableFinished) this.outgoing.destroy()
  }

  waitForEnd() {
    return waitForResponseEnd(this.outgoing)
  }
}
