import { Hono } from 'hono/tiny'
import { listRouteAudit } from '#db/queries/route-audit.ts'
import { requireRole } from './operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from './operator-options.ts'
import { AuditQuery, requireScope, validate } from './requests.ts'
import { sendJson } from './route-endpoints.ts'

/** The endpoint that lists who has changed what, and why. */
export const createAuditEndpoints = ({ database }: OperatorApiOptions): OperatorApp => {
  const app: OperatorApp = new Hono()
  app.get('/api/audit', requireRole('read'), validate('query', AuditQuery), async ({ req }) => {
    const { scope, ...page } = req.valid('query')
    const entries = await listRouteAudit(database.reader, {
      ...page,
      scope: scope === undefined ? undefined : requireScope(scope),
    })
    return sendJson({ entries })
  })
  return app
}
