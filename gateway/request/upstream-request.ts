import { ApiError } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { ClientOrigin } from '#proxy/headers/client-origin.ts'
import type { FailedForward, UpstreamRequest } from '#proxy/upstream-request.ts'
import type { InspectedRequest } from '../edge/inspect-request.ts'
import type { RequestContext } from './context.ts'
import type { Cors } from './cors.ts'
import { errorResponse, type GatewayResponse } from './response.ts'
import { createForwardedHeaders } from './response-headers.ts'

interface ForwardingOptions {
  readonly cors: Cors
  readonly bodyLimitBytes: number
}

// A body of unknown length, or one over the limit, is streamed; any other is read first, so that a slow client holds
// no connection to the core. A body that native has read is sent from memory, and a request that falls back has the
// same limit as one that is served natively.
const bodyFor = ({ bodyLength }: InspectedRequest, context: RequestContext, limit: number) => {
  if (bodyLength === 0) return null
  const mayStream = !context.outcome.fallback && !context.hasReadBody()
  const streams = mayStream && (bodyLength === null || bodyLength > limit)
  return streams ? 'stream' : context.readBody()
}

const isRepeatable = (label: Label | null) => label !== null && rowOf(label).effects === 'none'

/** What is sent to the core, a promise only where a body is read first; `label` is null where it matched no row. */
export const createUpstreamRequest = (
  label: Label | null,
  context: RequestContext,
  request: InspectedRequest,
  client: ClientOrigin,
  { cors, bodyLimitBytes }: ForwardingOptions,
): UpstreamRequest | Promise<UpstreamRequest> => {
  const withBody = (body: UpstreamRequest['body']): UpstreamRequest => {
    context.outcome.runtime = 'proxy'
    return {
      method: context.method,
      target: request.target.target,
      body,
      requestId: context.requestId,
      responseHeaders: createForwardedHeaders(context, cors),
      retryable: isRepeatable(label),
      client,
      replacesCors: cors.speaksFor(context),
      replacedHeaders: context.addedHeaders?.replaced ?? null,
    }
  }
  const body = bodyFor(request, context, bodyLimitBytes)
  const withoutBody = (error: unknown) => {
    context.outcome.fallback = false
    throw error
  }
  return body instanceof Promise ? body.then(withBody, withoutBody) : withBody(body)
}

/** The response where the core could not be reached or did not send a valid response. */
export const upstreamErrorResponse = (
  { code, retryAfterS }: FailedForward,
  { outcome }: RequestContext,
): GatewayResponse => {
  // Errors of the client and loops are the gateway's own responses; the rest are failures of the core.
  if (!code.startsWith('core_')) outcome.runtime = 'native'
  outcome.error = code
  const headers = retryAfterS === undefined ? {} : { headers: { 'retry-after': String(retryAfterS) } }
  return errorResponse(new ApiError(code, {}, headers))
}
