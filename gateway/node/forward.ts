import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Label } from '#contracts/route-table.ts'
import { clientOrigin } from '#proxy/headers/client-origin.ts'
import type { TrustedProxies } from '#proxy/headers/trusted-proxies.ts'
import type { UndiciTransport } from '#proxy/undici/transport-undici.ts'
import type { Exchange as ForwardExchange } from '#proxy/upstream-request.ts'
import type { ComposedGateway } from '../app/compose-gateway.ts'
import type { InspectedRequest } from '../edge/inspect-request.ts'
import type { Exchange } from '../request/context.ts'
import type { Answer } from '../request/response.ts'
import { answerOfFailure, toForward } from '../request/upstream-request.ts'

interface ForwardParts extends Pick<ComposedGateway, 'trusted' | 'cors' | 'bodyLimitBytes'> {
  readonly transport: UndiciTransport
  readonly write: (outgoing: ServerResponse, answer: Answer, exchange: Exchange) => void
}

/** Who a request comes from. */
export const clientOf = (incoming: IncomingMessage, { host }: InspectedRequest, trusted: TrustedProxies) => {
  const { remoteAddress = '' } = incoming.socket
  return clientOrigin(incoming.rawHeaders, { address: remoteAddress, encrypted: false, host }, trusted)
}

/** Sends requests on to the core and answers for it where it cannot. */
export const createForwarder =
  ({ transport, write, ...parts }: ForwardParts) =>
  (
    label: Label | null,
    exchange: Exchange,
    request: InspectedRequest,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> => {
    const send = async (forwarded: ForwardExchange) => {
      const outcome = await transport.forward(incoming, outgoing, forwarded)
      if (outcome.kind === 'truncated') exchange.outcome.error = 'core_bad_response'
      else if (outcome.kind === 'failed') write(outgoing, answerOfFailure(outcome, exchange), exchange)
    }
    const client = clientOf(incoming, request, parts.trusted)
    const forwarded = toForward(label, exchange, request, client, parts)
    return forwarded instanceof Promise ? forwarded.then(send) : send(forwarded)
  }
