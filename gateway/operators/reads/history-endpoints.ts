import { Hono } from 'hono/tiny'
import { requireRole } from '../operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from '../operator-options.ts'
import { HistoryQuery, LabelParams, RouteHistoryQuery, validate } from '../requests.ts'
import { sendJson } from '../route-endpoints.ts'
import { readHistory, readRouteHistory } from './read-history.ts'
import { countsMaxAgeMs, rememberReads } from './remember-reads.ts'

/** The endpoints that say what each side has served over time, at most a minute ago. */
export const createHistoryEndpoints = ({
  database: { reader },
  now = Date.now,
}: OperatorApiOptions): OperatorApp => {
  const app: OperatorApp = new Hono()
  const rememberAll = rememberReads<Awaited<ReturnType<typeof readHistory>>>(countsMaxAgeMs, now)
  const rememberRoute = rememberReads<Awaited<ReturnType<typeof readRouteHistory>>>(countsMaxAgeMs, now)

  app.get('/api/history', requireRole('read'), validate('query', HistoryQuery), async ({ req }) => {
    const { days } = req.valid('query')
    return sendJson(await rememberAll(String(days), () => readHistory(reader, days)))
  })

  app.get(
    '/api/routes/:label/history',
    requireRole('read'),
    validate('query', RouteHistoryQuery),
    validate('param', LabelParams),
    async ({ req }) => {
      const { label } = req.valid('param')
      const { hours } = req.valid('query')
      return sendJson(await rememberRoute(`${label} ${hours}`, () => readRouteHistory(reader, label, hours)))
    },
  )
  return app
}
