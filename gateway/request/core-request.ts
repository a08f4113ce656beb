import { ApiError, messagesOfReads } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { BodyStart, CoreRequest, FailedForward } from '#proxy/core-request.ts'
import type { ClientOrigin } from '#proxy/headers/client-origin.ts'
import type { InspectedRequest } from '../edge/inspect-request.ts'
import type { RequestContext } from './context.ts'
import type { Cors } from './cors.ts'
import { createHeadersForCoreResponse, errorResponse, type GatewayResponse } from './response.ts'

interface ForwardingOptions {
  readonly cors: Cors
  readonly bodyLimitBytes: number
}

// Bodies above the limit are streamed. All others are buffered first, so a slow client does not hold a connection to
// the core. After a fallback, the limit for native bodies applies.
const selectBody = ({ bodyLength }: InspectedRequest, context: RequestContext, limit: number) => {
  if (bodyLength === 0) return null
  if (context.outcome.fallbackReason !== null || context.hasReadBody()) return context.readBody()
  if (bodyLength === null) return context.readBodyStartUnlessStreamed() ?? 'stream'
  return bodyLength > limit ? 'stream' : context.readBody()
}

const isBodyStart = (body: CoreRequest['body'] | BodyStart): body is BodyStart =>
  typeof body === 'object' && body !== null && 'chunks' in body

const isRetryable = (label: Label | null) => label !== null && rowOf(label).effects === 'none'

/** Reports the gateway's own error, which is neither a failure of the core nor a fallback. */
export const reportAsOwnResponse = ({ outcome }: Pick<RequestContext, 'outcome'>) => {
  outcome.runtime = 'native'
  outcome.fallbackReason = null
}

/**
 * Returns a promise only if the body is buffered. `label` is null if no row matched. If the body cannot be read, the
 * response headers and the log say that native served the request.
 */
export const createCoreRequest = (
  label: Label | null,
  context: RequestContext,
  inspected: InspectedRequest,
  client: ClientOrigin,
  { cors, bodyLimitBytes }: ForwardingOptions,
): CoreRequest | Promise<CoreRequest> => {
  const build = (body: CoreRequest['body'] | BodyStart): CoreRequest => {
    const bodyStart = isBodyStart(body) ? body : null
    return {
      method: context.method,
      target: inspected.target.target,
      body: isBodyStart(body) ? 'stream' : body,
      bodyStart,
      requestId: context.requestId,
      trace: context.trace.sent,
      responseHeaders: createHeadersForCoreResponse(context, cors),
      retryable: isRetryable(label),
      client,
      route: label ?? 'unmatched',
      replacesCors: cors.isManaged(context),
      replacedHeaders: context.addedHeaders?.replaced ?? null,
      meter: context.outcome,
    }
  }
  const body = selectBody(inspected, context, bodyLimitBytes)
  if (!(body instanceof Promise)) return build(body)
  return body.then(build, (error) => {
    reportAsOwnResponse(context)
    throw error
  })
}

const isRead = ({ method }: RequestContext) => method === 'GET' || method === 'HEAD'

export const createCoreErrorResponse = (
  { code, retryAfterS }: FailedForward,
  context: RequestContext,
): GatewayResponse => {
  // Only `core_*` errors are the core's failures. The gateway itself detects client errors and loops.
  if (!code.startsWith('core_')) reportAsOwnResponse(context)
  context.outcome.error = code
  const isRetryKnown = code === 'core_unavailable' && retryAfterS !== undefined
  const message = isRead(context) ? messagesOfReads[code] : undefined
  return errorResponse(
    new ApiError(
      code,
      {},
      {
        ...(message === undefined ? {} : { message }),
        ...(isRetryKnown ? { headers: { 'retry-after': String(retryAfterS) } } : {}),
      },
    ),
  )
}
