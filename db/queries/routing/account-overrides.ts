import { and, asc, count, countDistinct, eq, gt, inArray, isNull, lt, not, or, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../../client/connection.ts'
import { firstRow, requireRow } from '../../client/drizzle.ts'
import { accountOverride } from '../../schema/routing.ts'
import { statementTimestamp } from '../statement-timestamp.ts'

/** An override as stored. Its scope may be one that this version does not know. */
export type AccountOverrideRow = typeof accountOverride.$inferSelect

type OverrideKey = Pick<AccountOverrideRow, 'accountId' | 'scope'>

const isOverride = ({ accountId, scope }: OverrideKey) =>
  sql`(${accountOverride.accountId}, ${accountOverride.scope}) = (${accountId}, ${scope})`

export const listAccountOverrides = (db: Reader, accountId?: string): Promise<AccountOverrideRow[]> =>
  db
    .select()
    .from(accountOverride)
    .where(accountId === undefined ? undefined : eq(accountOverride.accountId, accountId))
    .orderBy(asc(accountOverride.accountId), asc(accountOverride.scope))

const isLive = or(isNull(accountOverride.until), gt(accountOverride.until, statementTimestamp))

export type LiveOverrideRow = Pick<AccountOverrideRow, 'accountId' | 'scope' | 'side' | 'until'>

export const listLiveOverrides = (
  db: Reader,
  after: OverrideKey | null,
  limit: number,
): Promise<LiveOverrideRow[]> => {
  const { accountId, scope, side, until } = accountOverride
  const isLater = after ? sql`(${accountId}, ${scope}) > (${after.accountId}, ${after.scope})` : undefined
  return db
    .select({ accountId, scope, side, until })
    .from(accountOverride)
    .where(and(isLive, isLater))
    .orderBy(asc(accountId), asc(scope))
    .limit(limit)
}

export const countOtherLiveOverrides = async (db: Reader, key: OverrideKey): Promise<number> => {
  const [row] = await db
    .select({ others: count() })
    .from(accountOverride)
    .where(and(isLive, not(isOverride(key))))
  return row?.others ?? 0
}

export const countCoreOverrides = async (db: Reader, scopes: readonly string[]): Promise<number> =>
  requireRow(
    await db
      .select({ accounts: countDistinct(accountOverride.accountId) })
      .from(accountOverride)
      .where(and(inArray(accountOverride.scope, [...scopes]), eq(accountOverride.side, 'core'), isLive)),
  ).accounts

const maxDeletedOverrides = 1000

export const deleteEndedOverrides = async (db: Queryable) => {
  const { accountId, scope, until } = accountOverride
  const ended = db
    .select({ accountId, scope })
    .from(accountOverride)
    .where(lt(until, sql`statement_timestamp() - interval '1 day'`))
    .limit(maxDeletedOverrides)
    .for('update', { skipLocked: true })
  await db.delete(accountOverride).where(inArray(sql`(${accountId}, ${scope})`, ended))
}

export const lockAccountOverride = async (
  tx: Queryable,
  key: OverrideKey,
): Promise<AccountOverrideRow | null> =>
  firstRow(await tx.select().from(accountOverride).where(isOverride(key)).for('update'))

export const saveAccountOverride = async (tx: Queryable, override: AccountOverrideRow) => {
  const { accountId, scope, ...values } = override
  await tx
    .insert(accountOverride)
    .values({ accountId, scope, ...values })
    .onConflictDoUpdate({ target: [accountOverride.accountId, accountOverride.scope], set: values })
}

export const deleteAccountOverride = async (tx: Queryable, key: OverrideKey) => {
  await tx.delete(accountOverride).where(isOverride(key))
}
