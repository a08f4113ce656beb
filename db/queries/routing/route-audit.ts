import { and, asc, desc, eq, gt, gte, inArray, isNotNull, lt, min, notInArray, or, sql } from 'drizzle-orm'
import type { NewRow, Queryable, Reader } from '../../client/connection.ts'
import { firstRow } from '../../client/drizzle.ts'
import { newId } from '../../new-id.ts'
import { routeAudit, routingEpoch } from '../../schema/routing.ts'

/** Call it in the transaction that makes the change. If `at` is given, it is stored instead of the database's time. */
export const insertRouteAudit = async (tx: Queryable, entry: Omit<NewRow<typeof routeAudit>, 'id'>) => {
  await tx.insert(routeAudit).values({ id: newId(), ...entry })
}

interface AuditPage {
  readonly scope?: string | undefined
  readonly who?: string | undefined
  readonly action?: string | undefined
  /** Only changes at this time or later. */
  readonly from?: string | undefined
  /** Only changes before this time. */
  readonly to?: string | undefined
  /** Only changes before this epoch. */
  readonly before?: number | undefined
  readonly limit: number
}

/**
 * May exceed the limit, because it never splits an epoch with several changes, such as an area's resume. Otherwise, the
 * next page would miss some of them.
 */
export const listRouteAudit = (db: Reader, { scope, who, action, from, to, before, limit }: AuditPage) => {
  const isWanted = and(
    scope === undefined ? undefined : eq(routeAudit.scope, scope),
    who === undefined ? undefined : eq(routeAudit.who, who),
    action === undefined ? undefined : eq(routeAudit.action, action),
    from === undefined ? undefined : gte(routeAudit.at, from),
    to === undefined ? undefined : lt(routeAudit.at, to),
    before === undefined ? undefined : lt(routeAudit.epoch, before),
  )
  const page = db
    .select({ epoch: routeAudit.epoch })
    .from(routeAudit)
    .where(isWanted)
    .orderBy(desc(routeAudit.epoch))
    .limit(limit)
    .as('page')
  const oldest = db.select({ epoch: min(page.epoch) }).from(page)
  return db
    .select()
    .from(routeAudit)
    .where(and(isWanted, gte(routeAudit.epoch, oldest)))
    .orderBy(desc(routeAudit.epoch), desc(routeAudit.id))
}

/** The actions that change which side serves a route. The others concern automation. */
export const moves = ['shadow', 'ramp', 'kill', 'resume', 'rollback', 'restore'] as const

export const findLastMoveTime = async (db: Reader, scopes: readonly string[]): Promise<string | null> => {
  const [row] = await db
    .select({ at: routeAudit.at })
    .from(routeAudit)
    .where(and(inArray(routeAudit.scope, [...scopes]), inArray(routeAudit.action, [...moves])))
    .orderBy(desc(routeAudit.epoch))
    .limit(1)
  return row?.at ?? null
}

const retirements = ['retire', 'end-drill'] as const

const maxMoves = 200

export const listMoves = (db: Reader, scopes: readonly string[], from: string) => {
  const { at, who, scope, action, after, reason, epoch } = routeAudit
  return db
    .select({ at, who, scope, action, after, reason })
    .from(routeAudit)
    .where(and(inArray(scope, [...scopes]), inArray(action, [...moves, ...retirements]), gte(at, from)))
    .orderBy(desc(epoch))
    .limit(maxMoves)
}

const overrideActions = ['override', 'remove override'] as const
const maxAccountMoves = 5000

/**
 * Lists the changes that may have moved an account to the other side: changes to states and to the account's overrides,
 * newest first, at most 5,000.
 */
export const listAccountMoves = (db: Reader, accountId: string) => {
  const { at, scope, action, before, after, epoch, id } = routeAudit
  const isOfAccount = sql`coalesce(${after}, ${before}) ->> 'accountId' = ${accountId}`
  return db
    .select({ at, scope, action, before })
    .from(routeAudit)
    .where(
      or(
        inArray(action, [...moves, ...retirements]),
        and(inArray(action, [...overrideActions]), isOfAccount),
      ),
    )
    .orderBy(desc(epoch), desc(id))
    .limit(maxAccountMoves)
}

// Has no parameters. With parameters, PostgreSQL could not tell that DISTINCT ON and ORDER BY use the same expression.
const isOfOverride = sql<boolean>`${routeAudit.action} like '%override'`

export const listLastChanges = (db: Reader, afterEpoch: number) => {
  const { scope, who, at, action, epoch } = routeAudit
  return db
    .selectDistinctOn([scope, isOfOverride], { scope, isOfOverride, who, at, action })
    .from(routeAudit)
    .where(gt(epoch, afterEpoch))
    .orderBy(asc(scope), asc(isOfOverride), desc(epoch))
}

/**
 * Returns each route's last move, whether by a person, the gate, an automatic stop, or instances that kept their stops
 * after a restore.
 */
export const listLastSteps = (db: Reader) => {
  const { scope, action, epoch } = routeAudit
  return db
    .selectDistinctOn([scope], { scope, action })
    .from(routeAudit)
    .where(inArray(action, ['shadow', 'ramp', 'rollback', restoreActions.kept]))
    .orderBy(asc(scope), desc(epoch))
}

export const listStateChanges = (db: Reader) => {
  const { at, who, scope, action, before, after, reason, epoch, id } = routeAudit
  return db
    .select({ at, who, scope, action, before, after, reason })
    .from(routeAudit)
    .where(notInArray(action, [...overrideActions, 'forget']))
    .orderBy(asc(epoch), asc(id))
}

/** Lists all code of these routes that automatic stops have ever blamed. */
export const listFailedCode = (db: Reader, routes: readonly string[]) => {
  const { scope, action, after } = routeAudit
  const evidenceKey = sql<string>`${after} ->> 'failedEvidenceKey'`
  return db
    .selectDistinct({ scope, evidenceKey })
    .from(routeAudit)
    .where(
      and(
        inArray(scope, [...routes]),
        inArray(action, ['rollback', restoreActions.kept]),
        isNotNull(evidenceKey),
      ),
    )
}

export const hasRouteAudit = async (db: Reader, scope: string): Promise<boolean> => {
  const rows = await db
    .select({ id: routeAudit.id })
    .from(routeAudit)
    .where(eq(routeAudit.scope, scope))
    .limit(1)
  return rows.length > 0
}

/**
 * Returns the epoch and the id of its first change; null if no change has been made. The id tells an epoch apart from
 * the one that a restored database has lost.
 */
export const findRoutingVersion = async (
  db: Reader,
): Promise<{ readonly epoch: number; readonly changeId: string | null }> => {
  const { epoch } = routingEpoch
  const change = db
    .select({ id: routeAudit.id })
    .from(routeAudit)
    .where(eq(routeAudit.epoch, epoch))
    .orderBy(asc(routeAudit.id))
    .limit(1)
  const [row] = await db.select({ epoch, changeId: sql<string | null>`${change}` }).from(routingEpoch)
  return row ?? { epoch: 0, changeId: null }
}

/** Whether the database knows a change. After a restore from an older backup, it may not. */
export const hasChange = async (db: Reader, id: string): Promise<boolean> => {
  const rows = await db.select({ id: routeAudit.id }).from(routeAudit).where(eq(routeAudit.id, id))
  return rows.length > 0
}

/** Audit actions about a restored database: instances kept their stops in it, and a person accepted it. */
export const restoreActions = { kept: 'restore', accepted: 'accept-restore' } as const

export const findLastRestore = async (db: Reader) =>
  firstRow(
    await db
      .select({ action: routeAudit.action, before: routeAudit.before, epoch: routeAudit.epoch })
      .from(routeAudit)
      .where(and(eq(routeAudit.scope, '*'), inArray(routeAudit.action, Object.values(restoreActions))))
      .orderBy(desc(routeAudit.epoch))
      .limit(1),
  )

/** Whether a person has held or released a scope since this epoch. */
export const hasHoldChanged = async (db: Reader, ofScope: string, since: number): Promise<boolean> => {
  const { id, scope, action, epoch } = routeAudit
  const rows = await db
    .select({ id })
    .from(routeAudit)
    .where(and(eq(scope, ofScope), inArray(action, ['hold', 'release']), gt(epoch, since)))
    .limit(1)
  return rows.length > 0
}

/** Returns the highest epoch known to an instance that kept its stops in this restored database; 0 if none did. */
export const findKeptEpoch = async (db: Reader): Promise<number> => {
  const [row] = await db
    .select({ epoch: sql<number>`coalesce(max((${routeAudit.before} ->> 'knownEpoch')::integer), 0)` })
    .from(routeAudit)
    .where(and(eq(routeAudit.scope, '*'), eq(routeAudit.action, restoreActions.kept)))
  return row?.epoch ?? 0
}
