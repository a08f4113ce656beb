import { HTTPException } from 'hono/http-exception'
import { ApiError } from '#contracts/errors.ts'
import { describeError } from '#shared/describe-error.ts'
import { traceIdOf } from '#shared/tracing/trace.ts'
import { ClientGoneError } from '../edge/client-gone-error.ts'
import type { Log } from '../observability/log.ts'
import type { GatewayBindings } from '../request/gateway-env.ts'
import { errorResponse } from '../request/response.ts'

export interface Recovery {
  /** Sends the response to a request whose handling threw `error`, with the headers that middleware added. */
  respond(error: unknown, bindings: GatewayBindings): Promise<void>
  /** The same without these headers, one of which may be what failed; then releases the body. */
  recover(error: unknown, bindings: GatewayBindings): Promise<void>
}

/** Creates the responses to errors of requests. An unexpected error is logged, and the client learns nothing of it. */
export const createRecovery = (log: Log): Recovery => {
  const respond: Recovery['respond'] = async (error, { request, platform }) => {
    if (error instanceof ClientGoneError) return platform.abandon()
    if (error instanceof HTTPException && request.outcome.status === undefined)
      return platform.sendFetchResponse(error.getResponse(), null)
    const apiError = error instanceof ApiError ? error : new ApiError('internal_error')
    if (apiError !== error)
      log.error(
        {
          requestId: request.requestId,
          traceId: traceIdOf(request.trace),
          failure: describeError(error),
        },
        'request failed',
      )
    if (request.outcome.status !== undefined) return platform.destroy()
    request.outcome.error = apiError.code
    platform.respond(errorResponse(apiError))
  }

  return {
    respond,
    async recover(error, bindings) {
      bindings.request.addedHeaders = null
      await respond(error, bindings).finally(() => bindings.request.releaseBody())
    },
  }
}
