import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BodyProgressLimits } from '#proxy/body-progress.ts'
import { type ClientOrigin, resolveClientOrigin, type TrustedProxies } from '#proxy/headers/client-origin.ts'
import { endOnHalfClose } from '#proxy/node-streams/half-close.ts'
import type { Tracer } from '#shared/tracing/trace.ts'
import type { BodyBudget, BodyReservation } from '../edge/body-budget.ts'
import type { InspectedRequest } from '../edge/inspect-request.ts'
import type { ContextSource } from '../request/context.ts'
import { createRequestUrl, type RequestSource } from '../request/thin-request.ts'
import { readBody, readBodyStart } from './read-body.ts'

/** Shared by all requests of the process. */
export interface NodeRequestOptions {
  readonly trusted: TrustedProxies
  readonly bodyBudget: BodyBudget
  readonly bodyLimitBytes: number
  readonly bodyProgress: BodyProgressLimits
  readonly tracer: Tracer | null
}

const firstValue = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)

export const readHeader = ({ headers }: IncomingMessage, name: string) => firstValue(headers[name])

const readHeaders = ({ rawHeaders }: IncomingMessage) => {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  return headers
}

/** A request on Node, of which the context and Hono read what they need. */
export class NodeRequest<Options extends NodeRequestOptions> implements ContextSource, RequestSource {
  protected readonly options: Options
  protected readonly inspected: InspectedRequest
  protected readonly incoming: IncomingMessage
  protected readonly outgoing: ServerResponse

  constructor(
    options: Options,
    inspected: InspectedRequest,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ) {
    this.options = options
    this.inspected = inspected
    this.incoming = incoming
    this.outgoing = outgoing
  }

  get method() {
    return this.incoming.method ?? 'GET'
  }

  get path() {
    return this.inspected.target.path
  }

  get hasRewrittenPath() {
    return this.inspected.target.isRewritten
  }

  get search() {
    return this.inspected.target.search
  }

  get bodyBudget() {
    return this.options.bodyBudget
  }

  get tracer() {
    return this.options.tracer
  }

  get hasBody() {
    return this.inspected.bodyLength !== 0
  }

  url() {
    return createRequestUrl('http:', this.inspected)
  }

  header(name: string) {
    return readHeader(this.incoming, name)
  }

  headers() {
    return readHeaders(this.incoming)
  }

  clientAddress() {
    return this.resolveClient().address
  }

  /** Resolves the address, protocol and host that the client used. */
  resolveClient(): ClientOrigin {
    const { socket, rawHeaders } = this.incoming
    const peer = { address: socket.remoteAddress ?? '', encrypted: false, host: this.inspected.host }
    return resolveClientOrigin(rawHeaders, peer, this.options.trusted)
  }

  onDisconnect(listener: () => void) {
    endOnHalfClose(this.outgoing)
    this.outgoing.once('close', () => {
      if (!this.outgoing.writableFinished) listener()
    })
  }

  read(reservation: BodyReservation, timeoutMs?: number) {
    const { bodyLimitBytes: maxBytes, bodyProgress: progress } = this.options
    return readBody(this.incoming, this.outgoing, reservation, { maxBytes, progress, timeoutMs })
  }

  readStart(reservation: BodyReservation) {
    const { bodyLimitBytes: maxBytes, bodyProgress: progress } = this.options
    return readBodyStart(this.incoming, this.outgoing, reservation, { maxBytes, progress })
  }
}
