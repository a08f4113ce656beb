import { and, eq, inArray, lte, sql } from 'drizzle-orm'
import type { Queryable } from '../../client/connection.ts'
import { objectRemovals } from '../../schema/media-assets.ts'

export const scheduleObjectRemoval = async (tx: Queryable, storageKey: string, removeAfter: string) => {
  await tx
    .insert(objectRemovals)
    .values({ storageKey, removeAfter })
    .onConflictDoUpdate({ target: objectRemovals.storageKey, set: { removeAfter } })
}

export const cancelObjectRemoval = async (tx: Queryable, storageKey: string) => {
  const removals = await tx
    .delete(objectRemovals)
    .where(eq(objectRemovals.storageKey, storageKey))
    .returning({ storageKey: objectRemovals.storageKey })
  return removals.length > 0
}

export const lockDueObjectRemovals = (tx: Queryable, limit: number) =>
  tx
    .select({ storageKey: objectRemovals.storageKey })
    .from(objectRemovals)
    .where(lte(objectRemovals.removeAfter, sql`now()`))
    .orderBy(objectRemovals.removeAfter)
    .limit(limit)
    .for('update', { skipLocked: true })

/** Tries those of the removals that are due again in an hour. */
export const postponeObjectRemovals = async (tx: Queryable, storageKeys: readonly string[]) => {
  await tx
    .update(objectRemovals)
    .set({ removeAfter: sql`now() + interval '1 hour'` })
    .where(
      and(inArray(objectRemovals.storageKey, [...storageKeys]), lte(objectRemovals.removeAfter, sql`now()`)),
    )
}

export const deleteObjectRemovals = async (tx: Queryable, storageKeys: readonly string[]) => {
  await tx.delete(objectRemovals).where(inArray(objectRemovals.storageKey, [...storageKeys]))
}
