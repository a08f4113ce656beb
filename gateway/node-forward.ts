import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Label } from '#contracts/route-table.ts'
import { clientOrigin } from '#proxy/client-origin.ts'
import type { UndiciTransport } from '#proxy/transport-undici.ts'
import type { Answer } from './answer.ts'
import type { ComposedGateway } from './compose-gateway.ts'
import type { InspectedRequest } from './edge/inspect-request.ts'
import type { Exchange } from './exchange.ts'
import { answerOfFailure, toForward } from './forwarding.ts'

interface ForwardParts extends Pick<ComposedGateway, 'trusted' | 'cors' | 'bodyLimitBytes'> {
  readonly transport: UndiciTransport
  readonly write: (outgoing: ServerResponse, answer: Answer, exchange: Exchange) => void
}

/** Sends requests on to the core and answers for it where it cannot. */
export const createForwarder =
  ({ transport, write, ...parts }: ForwardParts) =>
  async (
    label: Label | null,
    exchange: Exchange,
    request: InspectedRequest,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ) => {
    const { remoteAddress = '' } = incoming.socket
    const peer = { address: remoteAddress, encrypted: false, host: request.host }
    const client = clientOrigin(incoming.rawHeaders, peer, parts.trusted)
    const forwarded = await toForward(label, exchange, request, client, parts)
    const outcome = await transport.forward(incoming, outgoing, forwarded)
    if (outcome.kind === 'failed') write(outgoing, answerOfFailure(outcome, exchange), exchange)
  }
