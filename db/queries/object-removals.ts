import { eq, inArray, lte, sql } from 'drizzle-orm'
import type { Queryable } from '../client/connection.ts'
import { objectRemovals } from '../schema/object-removals.ts'

/** Has an object removed from the store after this moment, unless it is kept before. */
export const scheduleObjectRemoval = async (tx: Queryable, storageKey: string, removeAfter: string) => {
  await tx
    .insert(objectRemovals)
    .values({ storageKey, removeAfter })
    .onConflictDoUpdate({ target: objectRemovals.storageKey, set: { removeAfter } })
}

/** Keeps an object for good; false when its removal has begun. */
export const keepObject = async (tx: Queryable, storageKey: string) => {
  const kept = await tx
    .delete(objectRemovals)
    .where(eq(objectRemovals.storageKey, storageKey))
    .returning({ storageKey: objectRemovals.storageKey })
  return kept.length > 0
}

/** Some objects whose time has come; nobody else can keep or remove them until the transaction ends. */
export const lockDueObjectRemovals = (tx: Queryable, limit: number) =>
  tx
    .select({ storageKey: objectRemovals.storageKey })
    .from(objectRemovals)
    .where(lte(objectRemovals.removeAfter, sql`now()`))
    .orderBy(objectRemovals.removeAfter)
    .limit(limit)
    .for('update', { skipLocked: true })

export const deleteObjectRemovals = async (tx: Queryable, storageKeys: readonly string[]) => {
  await tx.delete(objectRemovals).where(inArray(objectRemovals.storageKey, [...storageKeys]))
}
