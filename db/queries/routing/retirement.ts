import { and, asc, count, desc, eq, gt, gte, inArray, lt, ne, sql } from 'drizzle-orm'
import type { Reader } from '../../client/connection.ts'
import { requireRow } from '../../client/drizzle.ts'
import { coreUsage, coreUsageStart, coreUsageTotal } from '../../schema/core-usage.ts'
import { routeCounts } from '../../schema/route-evidence.ts'
import { routeAudit } from '../../schema/routing.ts'
import { moves } from './route-audit.ts'

const servesAll = (state: typeof routeAudit.before | typeof routeAudit.after) =>
  sql`(${state} ->> 'weightBp' = '10000' and ${state} ->> 'killed' = 'false')`

/** Ignores the end of a drill, and moves that changed nothing because native served everyone both before and after. */
export const findWeightChangeTime = async (db: Reader, scopes: readonly string[]): Promise<string | null> => {
  const keepsAll = sql`(${servesAll(routeAudit.before)} and ${servesAll(routeAudit.after)})`
  const [row] = await db
    .select({ at: routeAudit.at })
    .from(routeAudit)
    .where(
      and(
        inArray(routeAudit.scope, [...scopes]),
        inArray(routeAudit.action, [...moves]),
        sql`${keepsAll} is not true`,
      ),
    )
    .orderBy(desc(routeAudit.epoch))
    .limit(1)
  return row?.at ?? null
}

export const countRollbacks = async (db: Reader, scope: string, since: string): Promise<number> =>
  requireRow(
    await db
      .select({ rollbacks: count() })
      .from(routeAudit)
      .where(and(eq(routeAudit.scope, scope), eq(routeAudit.action, 'rollback'), gte(routeAudit.at, since))),
  ).rollbacks

export const findCoreUsageStart = async (db: Reader): Promise<string | null> => {
  const [row] = await db.select({ at: coreUsageStart.at }).from(coreUsageStart)
  return row?.at ?? null
}

export const findClientUsage = async (db: Reader, label: string) => {
  const ofClients = (table: typeof coreUsage | typeof coreUsageTotal) =>
    and(eq(table.label, label), ne(table.cause, 'shadow'))
  const recent = await db
    .select({ requests: coreUsage.requests, lastAt: coreUsage.lastAt })
    .from(coreUsage)
    .where(ofClients(coreUsage))
  const before = await db
    .select({ lastAt: coreUsageTotal.lastAt })
    .from(coreUsageTotal)
    .where(ofClients(coreUsageTotal))
  return {
    requests: recent.reduce((sum, { requests }) => sum + requests, 0),
    // All have the same format, so sorting them as text sorts them by time.
    lastAt:
      [...recent, ...before]
        .map(({ lastAt }) => lastAt)
        .toSorted()
        .at(-1) ?? null,
  }
}

/** Leaves out drills that a person or a stop cut short. */
export const listDrills = async (db: Reader, scope: string, since: string) => {
  const entries = await db
    .select({
      action: routeAudit.action,
      at: routeAudit.at,
      before: routeAudit.before,
      after: routeAudit.after,
      evidenceKey: sql<string | null>`${routeAudit.after} ->> 'evidenceKey'`,
    })
    .from(routeAudit)
    .where(
      and(
        eq(routeAudit.scope, scope),
        inArray(routeAudit.action, ['retire', 'ramp', 'rollback', 'end-drill']),
        gte(routeAudit.at, since),
      ),
    )
    .orderBy(asc(routeAudit.epoch))
  return entries.flatMap((end, index) => {
    const start = entries[index - 1]
    return end.action === 'end-drill' && start?.action === 'retire' ? [{ start, end }] : []
  })
}

export const sumNativeRequests = async (db: Reader, label: string, from: string, to: string) => {
  const { native2xx, native3xx, native4xx, native5xx, intervalStart } = routeCounts
  const total = (sum: ReturnType<typeof sql>) => sql`coalesce(sum(${sum}), 0)::float8`.mapWith(Number)
  const rows = await db
    .select({
      requests: total(sql`${native2xx} + ${native3xx} + ${native4xx} + ${native5xx}`),
      failures: total(sql`${native5xx}`),
    })
    .from(routeCounts)
    .where(
      and(
        eq(routeCounts.label, label),
        gt(intervalStart, sql`${from}::timestamptz - interval '10 minutes'`),
        lt(intervalStart, to),
      ),
    )
  return requireRow(rows)
}
