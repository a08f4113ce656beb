import type { Context, HonoRequest } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { Hono } from 'hono/tiny'
import { ApiError } from '#contracts/errors.ts'
import { isDatabaseUnavailable } from '#db/client/connection.ts'
import { type PageApp, toFetchResponse } from '#gateway/pages/page-app.ts'
import { errorResponse } from '#gateway/request/response.ts'
import { mountAccounts } from './accounts.ts'
import type { AttemptLimit } from './attempt-limit.ts'
import { mountAudit } from './audit.ts'
import { mountChanges } from './changes.ts'
import { mountEvidence } from './evidence.ts'
import { mountHistory } from './history.ts'
import { mountInstances } from './instances.ts'
import { authenticateOperator, bufferBody, createOperatorLookup } from './operator-middleware.ts'
import type { Operator, OperatorApiOptions, OperatorApp, SessionEnv, TokenEnv } from './operator-options.ts'
import { mountOverrides } from './overrides.ts'
import { mountReport } from './report.ts'
import { mountRoutes } from './routes.ts'
import { mountRoutingFile } from './routing-file.ts'
import { mountUsage } from './usage.ts'

const databaseDown = 'The database did not respond. The instances keep their last state'

// A preview is a POST but changes nothing.
const isRead = ({ method, path }: HonoRequest) => method === 'GET' || path.endsWith('/preview')

const toApiError = (error: unknown, request: HonoRequest) => {
  if (error instanceof ApiError) return error
  if (error instanceof HTTPException && error.status === 400)
    return new ApiError('invalid_json', { message: 'The body must be valid JSON.' })
  if (isDatabaseUnavailable(error))
    return new ApiError(
      'routing_database_unavailable',
      {
        message: isRead(request)
          ? `${databaseDown}, and nothing was changed. Try again.`
          : `${databaseDown}. The change may or may not have been made: check before you try again. GATEWAY_KILL works without the database.`,
      },
      { cause: error },
    )
  return null
}

const respondWithError = (error: unknown, { req }: Context) => {
  const known = toApiError(error, req)
  if (known === null) throw error
  return toFetchResponse(errorResponse(known))
}

export const createOperatorEndpoints = (options: OperatorApiOptions): OperatorApp => {
  const endpoints: OperatorApp = new Hono()
  mountRoutes(endpoints, options)
  mountChanges(endpoints, options)
  mountEvidence(endpoints, options)
  mountHistory(endpoints, options)
  mountUsage(endpoints, options)
  mountReport(endpoints, options)
  mountAccounts(endpoints, options)
  mountOverrides(endpoints, options)
  mountRoutingFile(endpoints, options)
  mountInstances(endpoints, options)
  mountAudit(endpoints, options)
  return endpoints
}

/** No path below `/api` responds without a valid token. */
export const createOperatorApi = (
  endpoints: OperatorApp,
  {
    listOperators,
    attempts,
  }: Pick<OperatorApiOptions, 'listOperators'> & { readonly attempts: AttemptLimit },
): PageApp => {
  const api: Hono<TokenEnv> = new Hono()
  api.use('/api/*', authenticateOperator(createOperatorLookup(listOperators), attempts), bufferBody)
  api.route('/', endpoints)
  api.onError(respondWithError)
  const pages: PageApp = new Hono()
  return pages.route('/', api)
}

export type CallOperatorApi = (operator: Operator, request: Request) => Promise<Response>

/** Calls the endpoints in process, with the same validation, roles and audit as for a request with a token. */
export const createOperatorCalls = (endpoints: OperatorApp): CallOperatorApi => {
  const api: Hono<SessionEnv> = new Hono()
  api.use('/api/*', async ({ env, set }, next) => {
    set('operator', env.operator)
    await next()
  })
  api.route('/', endpoints)
  api.onError(respondWithError)
  return async (operator, request) => api.fetch(request, { operator })
}
