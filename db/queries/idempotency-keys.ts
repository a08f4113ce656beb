import { and, eq, gt, sql } from 'drizzle-orm'
import type { Queryable, Reader } from '../client/connection.ts'
import { idempotencyKeys } from '../schema/idempotency-keys.ts'

/** The hashes by which a request with an idempotency key is known. */
export interface KeyHashes {
  readonly keyHash: string
  readonly requestHash: string
}

/** What is stored under a key, unless it has expired. */
export const findIdempotencyKey = async (db: Reader, keyHash: string) => {
  const [stored] = await db
    .select({
      requestHash: idempotencyKeys.requestHash,
      checkpoint: idempotencyKeys.checkpoint,
      response: idempotencyKeys.response,
    })
    .from(idempotencyKeys)
    .where(
      and(eq(idempotencyKeys.keyHash, keyHash), gt(idempotencyKeys.expiresAt, sql`statement_timestamp()`)),
    )
  return stored ?? null
}

/**
 * Stores the checkpoint or the response of a request. The lifetime of the key starts with the first of the two. The
 * caller has locked the key and knows that no response is stored under it.
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
      expires_at = case when known.expires_at > statement_timestamp() then known.expires_at else excluded.expires_at end`)
}

/** Deletes expired keys, `limit` at most; returns how many. */
export const deleteExpiredIdempotencyKeys = async (db: Pick<Queryable, 'execute'>, limit: number) => {
  const deleted = await db.execute(sql`
    delete from ${idempotencyKeys} where key_hash in (
      select key_hash from ${idempotencyKeys} where expires_at <= statement_timestamp()
      limit ${limit}::int for update skip locked)
    returning 1`)
  return deleted.length
}
