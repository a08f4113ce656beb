import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Label } from '#contracts/route-table.ts'
import { resolveClientOrigin } from '#proxy/headers/client-origin.ts'
import type { TrustedProxies } from '#proxy/headers/trusted-proxies.ts'
import type { UndiciTransport } from '#proxy/undici/transport-undici.ts'
import type { UpstreamRequest as ForwardExchange } from '#proxy/upstream-request.ts'
import type { ComposedGateway } from '../app/compose-gateway.ts'
import type { InspectedRequest } from '../edge/inspect-request.ts'
import type { RequestContext } from '../request/context.ts'
import type { GatewayResponse } from '../request/response.ts'
import { createUpstreamRequest, upstreamErrorResponse } from '../request/upstream-request.ts'

interface ForwardParts extends Pick<ComposedGateway, 'trusted' | 'cors' | 'bodyLimitBytes'> {
  readonly transport: UndiciTransport
  readonly write: (outgoing: ServerResponse, answer: GatewayResponse, exchange: RequestContext) => void
}

/** Who a request comes from. */
export const clientOf = (incoming: IncomingMessage, { host }: InspectedRequest, trusted: TrustedProxies) => {
  const { remoteAddress = '' } = incoming.socket
  return resolveClientOrigin(incoming.rawHeaders, { address: remoteAddress, encrypted: false, host }, trusted)
}

/** Sends requests on to the core and answers for it where it cannot. */
export const createForwarder =
  ({ transport, write, ...parts }: ForwardParts) =>
  (
    label: Label | null,
    exchange: RequestContext,
    request: InspectedRequest,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> => {
    const send = async (forwarded: ForwardExchange) => {
      const outcome = await transport.forward(incoming, outgoing, forwarded)
      if (outcome.kind === 'truncated') exchange.outcome.error = 'core_bad_response'
      else if (outcome.kind === 'failed') write(outgoing, upstreamErrorResponse(outcome, exchange), exchange)
    }
    const client = clientOf(incoming, request, parts.trusted)
    const forwarded = createUpstreamRequest(label, exchange, request, client, parts)
    return forwarded instanceof Promise ? forwarded.then(send) : send(forwarded)
  }
