import { and, asc, eq } from 'drizzle-orm'
import type { Queryable, Reader } from '../client/connection.ts'
import { accountOverride } from '../schema/routing.ts'

/** A row as it is stored; its scope may be one that this version does not know. */
export type AccountOverrideRow = typeof accountOverride.$inferSelect

type OverrideKey = Pick<AccountOverrideRow, 'accountId' | 'scope'>

const isOverride = ({ accountId, scope }: OverrideKey) =>
  and(eq(accountOverride.accountId, accountId), eq(accountOverride.scope, scope))

/** The overrides of one account or of all, expired ones included. */
export const listAccountOverrides = (db: Reader, accountId?: string): Promise<AccountOverrideRow[]> =>
  db
    .select()
    .from(accountOverride)
    .where(accountId === undefined ? undefined : eq(accountOverride.accountId, accountId))
    .orderBy(asc(accountOverride.accountId), asc(accountOverride.scope))

/** Returns null if there is no such override. */
export const lockAccountOverride = async (
  tx: Queryable,
  key: OverrideKey,
): Promise<AccountOverrideRow | null> => {
  const [row] = await tx.select().from(accountOverride).where(isOverride(key)).for('update')
  return row ?? null
}

/** Stores an override in place of the one of the same account and scope. */
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
