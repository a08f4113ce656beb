import { ApiError } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { ClientOrigin } from '#proxy/headers/client-origin.ts'
import type { FailedForward, UpstreamRequest as ForwardExchange } from '#proxy/upstream-request.ts'
import type { InspectedRequest } from '../edge/inspect-request.ts'
import { flatServiceHeaders, type RequestContext } from './context.ts'
import type { Cors } from './cors.ts'
import { errorResponse, type GatewayResponse } from './response.ts'
import { sharePageHeaders } from './share-pages.ts'

interface ForwardParts {
  readonly cors: Cors
  readonly bodyLimitBytes: number
}

// A body of unknown length, or one too large to hold, is sent on while it arrives; any other is read first, so that
// a slow client holds no connection to the core. What native has read already is sent as it was read, and what would
// be too large for native is no less so where the core answers in its place.
const bodyFor = ({ bodyLength }: InspectedRequest, exchange: RequestContext, limit: number) => {
  if (bodyLength === 0) return null
  const mayStream = !exchange.outcome.fallback && !exchange.hasReadBody()
  const streams = mayStream && (bodyLength === null || bodyLength > limit)
  return streams ? 'stream' : exchange.readBody()
}

const isRepeatable = (label: Label | null) => label !== null && rowOf(label).effects === 'none'

/**
 * A request as it goes to the core, at once where no body has to be read before; `label` is null where it matched no
 * row.
 */
export const createUpstreamRequest = (
  label: Label | null,
  exchange: RequestContext,
  request: InspectedRequest,
  client: ClientOrigin,
  { cors, bodyLimitBytes }: ForwardParts,
): ForwardExchange | Promise<ForwardExchange> => {
  const withBody = (body: ForwardExchange['body']): ForwardExchange => {
    exchange.outcome.runtime = 'proxy'
    return {
      method: exchange.method,
      target: request.target.target,
      body,
      requestId: exchange.requestId,
      responseHeaders: flatServiceHeaders(exchange, [
        cors.headersFor(exchange),
        sharePageHeaders(exchange.path),
      ]),
      retryable: isRepeatable(label),
      client,
      replacesCors: cors.speaksFor(exchange),
      replacedHeaders: null,
    }
  }
  const body = bodyFor(request, exchange, bodyLimitBytes)
  const withoutBody = (refusal: unknown) => {
    exchange.outcome.fallback = false
    throw refusal
  }
  return body instanceof Promise ? body.then(withBody, withoutBody) : withBody(body)
}

/** What a client is told where the core could not be asked or gave no sound answer. */
export const upstreamErrorResponse = (
  { code, retryAfterS }: FailedForward,
  { outcome }: RequestContext,
): GatewayResponse => {
  // What the client or a loop did is refused by the gateway; only the core's own failures are the core leg's.
  if (!code.startsWith('core_')) outcome.runtime = 'native'
  outcome.error = code
  const headers = retryAfterS === undefined ? {} : { headers: { 'retry-after': String(retryAfterS) } }
  return errorResponse(new ApiError(code, {}, headers))
}
