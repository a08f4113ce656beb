import { Hono } from 'hono/tiny'
import type { Reader } from '#db/client/connection.ts'
import { hasRouteAudit, listRouteAudit } from '#db/queries/routing/route-audit.ts'
import { isRouteScope } from '../model/route-scope.ts'
import { requireRole } from './operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from './operator-options.ts'
import { AuditQuery, createScopeError, validate } from './requests.ts'
import { sendJson } from './route-endpoints.ts'

// Also an instance that was forgotten, and a route of an earlier version.
const requireAuditedScope = async (db: Reader, text: string) => {
  if (isRouteScope(text) || (await hasRouteAudit(db, text))) return text
  throw createScopeError(text, 'a route label, area.* or *, nor the id of an instance that was forgotten')
}

/** The endpoint that lists who has changed what, and why. */
export const createAuditEndpoints = ({ database }: OperatorApiOptions): OperatorApp => {
  const app: OperatorApp = new Hono()
  app.get('/api/audit', requireRole('read'), validate('query', AuditQuery), async ({ req }) => {
    const { scope, ...page } = req.valid('query')
    const entries = await listRouteAudit(database.reader, {
      ...page,
      scope: scope === undefined ? undefined : await requireAuditedScope(database.reader, scope),
    })
    return sendJson({ entries })
  })
  return app
}
