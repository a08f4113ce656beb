import { Hono } from 'hono/tiny'
import { requireRole } from '../operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from '../operator-options.ts'
import { HistoryQuery, RouteHistoryQuery, requireLabel, validate } from '../requests.ts'
import { sendJson } from '../route-endpoints.ts'
import { readHistory, readRouteHistory } from './read-history.ts'

/** The endpoints that say what each side has served over time. */
export const createHistoryEndpoints = ({ database: { reader } }: OperatorApiOptions): OperatorApp => {
  const app: OperatorApp = new Hono()

  app.get('/api/history', requireRole('read'), validate('query', HistoryQuery), async ({ req }) =>
    sendJson(await readHistory(reader, req.valid('query').days)),
  )

  app.get(
    '/api/routes/:label/history',
    requireRole('read'),
    validate('query', RouteHistoryQuery),
    async ({ req }) =>
      sendJson(await readRouteHistory(reader, requireLabel(req.param('label')), req.valid('query').hours)),
  )
  return app
}
