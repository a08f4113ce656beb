import { and, count, eq, gt, isNull, max, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../client/connection.ts'
import { firstRow, requireRow } from '../client/drizzle.ts'
import { idempotencyKeys } from '../schema/idempotency-keys.ts'
import { routeState, routingEpoch } from '../schema/routing.ts'

export interface KeyHashes {
  readonly keyHash: string
  readonly requestHash: string
}

export const findIdempotencyKey = async (db: Reader, keyHash: string) =>
  firstRow(
    await db
      .select({
        requestHash: idempotencyKeys.requestHash,
        checkpoint: idempotencyKeys.checkpoint,
        response: idempotencyKeys.response,
        forwardedRoute: idempotencyKeys.forwardedRoute,
      })
      .from(idempotencyKeys)
      .where(
        and(eq(idempotencyKeys.keyHash, keyHash), gt(idempotencyKeys.expiresAt, sql`statement_timestamp()`)),
      ),
  )

/**
 * Stores a request's checkpoint or response. The key's lifetime starts when the first of them is stored. Before calling
 * this, lock the key and make sure that no response is stored under it.
 */
export const saveIdempotencyKey = async (
  tx: Pick<Queryable, 'execute'>,
  { keyHash, requestHash }: KeyHashes,
  { checkpoint, response }: { readonly checkpoint?: string; readonly response?: string },
  ttlS: number,
) => {
  await tx.execute(sql`
    insert into ${idempotencyKeys} as known (key_hash, request_hash, checkpoint, response, expires_at)
    values (${keyHash}, ${requestHash}, ${checkpoint ?? null}::text, ${response ?? null}::text,
      statement_timestamp() + ${ttlS}::int * interval '1 second')
    on conflict (key_hash) do update set
      request_hash = excluded.request_hash,
      checkpoint = coalesce(excluded.checkpoint,
        case when known.expires_at > statement_timestamp() then known.checkpoint end),
      response = excluded.response,
      forwarded_route = case when known.expires_at > statement_timestamp() then known.forwarded_route end,
      expires_at = case when known.expires_at > statement_timestamp() then known.expires_at else excluded.expires_at end`)
}

/**
 * Records that a request with this key is forwarded to the core. The key's lifetime starts now unless it has already
 * started. Returns false if the route was retired after `epoch`; the request must then not be forwarded. Before calling
 * this, lock the key, and take the route's lock for forwarded keys with `tryLockShared`; a retirement takes that lock
 * exclusively.
 */
export const saveForwardedKey = async (
  tx: Pick<Queryable, 'execute'>,
  { keyHash, requestHash }: KeyHashes,
  route: string,
  epoch: number,
  ttlS: number,
): Promise<boolean> => {
  const saved = await tx.execute(sql`
    insert into ${idempotencyKeys} as known (key_hash, request_hash, forwarded_route, expires_at)
    select ${keyHash}, ${requestHash}, ${route}, statement_timestamp() + ${ttlS}::int * interval '1 second'
    where not exists (
      select from ${routeState}, ${routingEpoch}
      where ${routeState.scope} = ${route} and ${routeState.stage} = 'retired' and ${routingEpoch.epoch} > ${epoch}::int)
    on conflict (key_hash) do update set
      request_hash = excluded.request_hash,
      checkpoint = case when known.expires_at > statement_timestamp() then known.checkpoint end,
      response = null,
      forwarded_route = excluded.forwarded_route,
      expires_at = case when known.expires_at > statement_timestamp() then known.expires_at else excluded.expires_at end
    returning 1`)
  return saved.length > 0
}

export const findForwardedKeys = async (db: Reader, route: string, now: string) => {
  const { forwardedRoute, response, expiresAt } = idempotencyKeys
  return requireRow(
    await db
      .select({ keys: count(), lastExpiresAt: max(expiresAt) })
      .from(idempotencyKeys)
      .where(and(eq(forwardedRoute, route), isNull(response), gt(expiresAt, now))),
  )
}

export const deleteExpiredIdempotencyKeys = async (db: Pick<Queryable, 'execute'>, limit: number) => {
  const deleted = await db.execute(sql`
    delete from ${idempotencyKeys} where key_hash in (
      select key_hash from ${idempotencyKeys} where expires_at <= statement_timestamp()
      limit ${limit}::int for update skip locked)
    returning 1`)
  return deleted.length
}
