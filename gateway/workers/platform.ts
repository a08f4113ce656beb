import { waitUntil } from 'cloudflare:workers'
import type { Label } from '#contracts/route-table.ts'
import type { Ports } from '#native-routes/ports.ts'
import { resolveClientOrigin } from '#proxy/headers/client-origin.ts'
import type { InspectedRequest } from '../edge/inspect-request.ts'
import { contentOf } from '../pages/page-app.ts'
import { ClientGoneError, type RequestContext } from '../request/context.ts'
import { createCoreErrorResponse, createCoreRequest } from '../request/core-request.ts'
import { createRequestUrl, type NativeSide, type Platform } from '../request/platform.ts'
import {
  createPageHeaders,
  createResponseHeaders,
  type GatewayResponse,
  type ResponseHeaders,
  type StreamResponse,
} from '../request/response.ts'
import { forwardInSpan, startCoreSpan } from '../request/trace.ts'
import type { Isolate } from './open-isolate.ts'

export const createResponse = (
  method: string,
  status: number,
  headers: ResponseHeaders,
  body: BodyInit | null,
): Response => {
  const list = new Headers()
  for (const [name, value] of Object.entries(headers))
    for (const item of Array.isArray(value) ? value : [value]) list.append(name, item)
  // Otherwise the runtime would compress an already compressed body again.
  const init: ResponseInit & { readonly encodeBody: 'manual' } = {
    status,
    headers: list,
    encodeBody: 'manual',
  }
  return new Response(method === 'HEAD' ? null : body, init)
}

export const resolveClient = (request: Request, { host }: InspectedRequest, { trusted }: Isolate) => {
  const address = request.headers.get('cf-connecting-ip') ?? 'unknown'
  const peer = { address, encrypted: request.url.startsWith('https:'), host }
  return resolveClientOrigin([...request.headers].flat(), peer, trusted)
}

const bodyInitOf = (body: GatewayResponse['body']): BodyInit | null =>
  typeof body === 'object' ? new Blob([...body]) : (body ?? null)

/** The fetch handler returns `response` once it is set. */
export class WorkersPlatform implements Platform {
  response: Response | null = null
  readonly #written = Promise.withResolvers<void>()
  readonly #isolate: Isolate
  readonly #context: RequestContext
  readonly #inspected: InspectedRequest
  readonly #request: Request

  constructor(isolate: Isolate, context: RequestContext, inspected: InspectedRequest, request: Request) {
    this.#isolate = isolate
    this.#context = context
    this.#inspected = inspected
    this.#request = request
  }

  get hasBody() {
    return this.#inspected.bodyLength !== 0
  }

  get method() {
    return this.#context.method
  }

  url() {
    return createRequestUrl(this.#request.url.startsWith('https:') ? 'https:' : 'http:', this.#inspected)
  }

  headers() {
    return new Headers(this.#request.headers)
  }

  respond({ status, headers, body }: GatewayResponse) {
    const responseHeaders = createResponseHeaders(
      { status, headers, body },
      this.#context,
      this.#isolate.cors,
    )
    this.#write(createResponse(this.method, status, responseHeaders, bodyInitOf(body)))
  }

  async sendStream({ status, headers, body, ended }: StreamResponse) {
    const response = { status, headers, body: undefined }
    const responseHeaders = createResponseHeaders(response, this.#context, this.#isolate.cors)
    this.#write(createResponse(this.method, status, responseHeaders, body))
    await ended
  }

  async sendFetchResponse(response: Response, contentLength: string | null) {
    const headers = createPageHeaders(response, contentLength, this.#context, this.#isolate.cors)
    this.#write(createResponse(this.method, response.status, headers, contentOf(response) ?? response.body))
  }

  async forward(label: Label | null) {
    const { transport } = this.#isolate
    if (!transport) throw new Error('cannot forward: CORE_BASE_URL is none')
    const client = resolveClient(this.#request, this.#inspected, this.#isolate)
    const request = await createCoreRequest(label, this.#context, this.#inspected, client, this.#isolate)
    const startedAt = performance.now()
    const span = startCoreSpan(this.#context)
    const outcome = await (span === null
      ? transport.forward(this.#request, request)
      : forwardInSpan(span, () => transport.forward(this.#request, { ...request, trace: span.context })))
    if (outcome instanceof Response) {
      this.#context.outcome.coreMs = performance.now() - startedAt
      this.#write(outcome)
      return
    }
    if (outcome.kind === 'client-gone') throw new ClientGoneError()
    this.respond(createCoreErrorResponse(outcome, this.#context))
  }

  async withNative<T>(work: (native: NativeSide, ports: Ports) => Promise<T>) {
    const { openNativeSide } = await import('./native-side.ts')
    const { native, ports, close } = openNativeSide(this.#isolate)
    try {
      return await work(native, ports)
    } finally {
      waitUntil(close())
    }
  }

  abandon() {
    this.respond({ status: 499, headers: {}, body: undefined })
  }

  // The written response is complete and its body is streamed later, so there is nothing to abort.
  destroy() {}

  waitForResponse() {
    return this.#written.promise
  }

  async waitForEnd() {}

  #write(response: Response) {
    if (this.response) return
    this.response = response
    this.#context.outcome.status = response.status
    this.#written.resolve()
  }
}
