import * as z from 'zod'
import { Str, TimestampInput } from '#contracts/shared/primitives.ts'
import type { Reader } from '#db/client/connection.ts'
import { hasRouteAudit, listRouteAudit } from '#db/queries/routing/route-audit.ts'
import { formatStage } from '../model/format-state.ts'
import { isRouteScope } from '../model/route-scope.ts'
import { AuditedState } from '../model/stored-state.ts'
import { requireRole } from './operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from './operator-options.ts'
import { createScopeError, maxInt32, sendJson, validate } from './requests.ts'

const maxAuditEntries = 200

const AuditQuery = z.strictObject({
  scope: Str(128).optional(),
  who: Str(128).optional(),
  action: Str(64).optional(),
  from: TimestampInput.optional(),
  to: TimestampInput.optional(),
  before: z.coerce.number<string>().int().min(0).max(maxInt32).optional(),
  limit: z.coerce.number<string>().int().min(1).max(maxAuditEntries).default(50),
})

// An audit entry may also be about a forgotten instance, or about a route of an earlier version.
const requireAuditedScope = async (db: Reader, text: string) => {
  if (isRouteScope(text) || (await hasRouteAudit(db, text))) return text
  throw createScopeError(text, 'a route label, area.*, * or the id of a forgotten instance')
}

const MovedState = AuditedState.pick({ stage: true, weightBp: true, drillUntil: true })

/** Formats how a change moved a route: `native -> canary at 5 %`; empty for a change that is not about a route. */
const formatMove = (before: unknown, after: unknown) => {
  const [from, to] = [before, after].map((state) => MovedState.safeParse(state).data)
  if (!from || !to) return ''
  const [left, right] = [formatStage(from), formatStage(to)]
  return left === right ? left : `${left} -> ${right}`
}

export const readAudit = async (db: Reader, page: Parameters<typeof listRouteAudit>[1]) =>
  (await listRouteAudit(db, page)).map((entry) => ({
    ...entry,
    move: formatMove(entry.before, entry.after),
  }))

export const mountAudit = (app: OperatorApp, { database }: OperatorApiOptions): void => {
  app.get('/api/audit', requireRole('read'), validate('query', AuditQuery), async ({ req }) => {
    const { scope, ...page } = req.valid('query')
    const entries = await readAudit(database.reader, {
      ...page,
      scope: scope === undefined ? undefined : await requireAuditedScope(database.reader, scope),
    })
    return sendJson({ entries })
  })
}
