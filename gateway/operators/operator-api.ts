import { HTTPException } from 'hono/http-exception'
import { Hono } from 'hono/tiny'
import { ApiError } from '#contracts/errors.ts'
import { isDatabaseUnavailable } from '#db/client/connection.ts'
import { type PageApp, toFetchResponse } from '../pages/page-app.ts'
import { errorResponse } from '../request/response.ts'
import { createAttemptLimit } from './attempt-limit.ts'
import { createAuditEndpoints } from './audit-endpoints.ts'
import { createEvidenceEndpoints } from './evidence-endpoints.ts'
import { createInstanceEndpoints } from './instance-endpoints.ts'
import { authenticateOperator, bufferBody } from './operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from './operator-options.ts'
import { createOperatorLookup } from './operators.ts'
import { createOverrideEndpoints } from './override-endpoints.ts'
import { createAccountEndpoints } from './reads/account-endpoints.ts'
import { createHistoryEndpoints } from './reads/history-endpoints.ts'
import { createRouteEndpoints } from './route-endpoints.ts'

const toApiError = (error: unknown) => {
  if (error instanceof ApiError) return error
  if (error instanceof HTTPException && error.status === 400)
    return new ApiError('invalid_json', { message: 'The body must be valid JSON.' })
  if (isDatabaseUnavailable(error))
    return new ApiError(
      'routing_database_unavailable',
      {
        message:
          'The database did not respond: the instances keep their last state. Whether the change was made is unknown; GATEWAY_KILL works without the database.',
      },
      { cause: error },
    )
  return null
}

/** Creates the API with which operators read and move routes. No path below `/api` responds without a valid token. */
export const createOperatorApi = (options: OperatorApiOptions): PageApp => {
  const api: OperatorApp = new Hono()
  const { operators, attempts = createAttemptLimit() } = options
  api.use('/api/*', authenticateOperator(createOperatorLookup(operators), attempts), bufferBody)
  api.route('/', createRouteEndpoints(options))
  api.route('/', createEvidenceEndpoints(options))
  api.route('/', createHistoryEndpoints(options))
  api.route('/', createAccountEndpoints(options))
  api.route('/', createOverrideEndpoints(options))
  api.route('/', createInstanceEndpoints(options))
  api.route('/', createAuditEndpoints(options))
  api.onError((error) => {
    const known = toApiError(error)
    if (known === null) throw error
    return toFetchResponse(errorResponse(known))
  })
  const pages: PageApp = new Hono()
  return pages.route('/', api)
}
