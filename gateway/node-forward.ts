import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import { clientOrigin } from '#proxy/client-origin.ts'
import type { FailedForward } from '#proxy/exchange.ts'
import type { UndiciTransport } from '#proxy/transport-undici.ts'
import type { TrustedProxies } from '#proxy/trusted-proxies.ts'
import { type Answer, errorAnswer } from './answer.ts'
import type { Cors } from './cors.ts'
import type { InspectedRequest } from './edge/inspect-request.ts'
import { type Exchange, stampOf } from './exchange.ts'

interface ForwardParts {
  readonly transport: UndiciTransport
  readonly trusted: TrustedProxies
  readonly cors: Cors
  readonly bodyLimitBytes: number
  readonly write: (outgoing: ServerResponse, answer: Answer, exchange: Exchange) => void
}

const refusalOf = ({ code, retryAfterS }: FailedForward) =>
  new ApiError(code, {}, retryAfterS === undefined ? {} : { headers: { 'retry-after': String(retryAfterS) } })

// A body of unknown length, or one too large to hold, is sent on while it arrives; any other is read first, so that
// a slow client holds no connection to the core. What native has read already is sent as it was read.
const bodyFor = async ({ bodyLength }: InspectedRequest, exchange: Exchange, limit: number) => {
  if (bodyLength === 0) return null
  const streams = !exchange.outcome.fallback && (bodyLength === null || bodyLength > limit)
  return streams ? 'stream' : exchange.readBody()
}

const isRepeatable = (label: Label | null) => label !== null && rowOf(label).effects === 'none'

/** Sends requests on to the core and answers for it where it cannot. */
export const createForwarder =
  ({ transport, trusted, cors, bodyLimitBytes, write }: ForwardParts) =>
  async (
    label: Label | null,
    exchange: Exchange,
    request: InspectedRequest,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ) => {
    exchange.outcome.runtime = 'proxy'
    const { remoteAddress = '' } = incoming.socket
    const peer = { address: remoteAddress, encrypted: false, host: request.host }
    const outcome = await transport.forward(incoming, outgoing, {
      method: exchange.method,
      target: request.target.target,
      body: await bodyFor(request, exchange, bodyLimitBytes),
      requestId: exchange.requestId,
      stamp: Object.entries({ ...cors.headersFor(exchange), ...stampOf(exchange) }).flat(),
      retryable: isRepeatable(label),
      client: clientOrigin(incoming.rawHeaders, peer, trusted),
      replacesCors: cors.enabled,
    })
    if (outcome.kind !== 'failed') return
    // What the client or a loop did is refused by the gateway; only the core's own failures are the core leg's.
    if (!outcome.code.startsWith('core_')) exchange.outcome.runtime = 'native'
    exchange.outcome.error = outcome.code
    write(outgoing, errorAnswer(refusalOf(outcome)), exchange)
  }
