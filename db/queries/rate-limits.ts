import { sql } from 'drizzle-orm'
import type { Queryable } from '../client/connection.ts'
import { rateLimits } from '../schema/rate-limits.ts'

type RateLimitExecutor = Pick<Queryable, 'execute'>

export interface LimitReservation {
  readonly key: string
  readonly limit: number
  readonly maxHeld: number
  readonly windowS: number
  /** The window that `released` and `own` belong to: the `window` of an earlier grant, or null if there is none. */
  readonly window: string | null
  /** How many uses this instance held in advance and no longer holds. */
  readonly released: number
  /**
   * How many of the window's uses this instance was granted. If no other instance was granted any, this one may hold
   * all of `maxHeld`.
   */
  readonly own: number
}

export interface LimitGrant {
  readonly granted: number
  /** How many of the window's uses all instances have admitted or hold in advance. */
  readonly used: number
  readonly held: number
  /** Names the window, in a form only the store understands. Null if the store has no such window. */
  readonly window: string | null
  readonly resetsInS: number
}

export interface LimitRefund {
  readonly key: string
  /** The window that the uses were counted in. If it has ended, the refund is ignored. */
  readonly window: string
  readonly uses: number
  readonly released: number
}

/**
 * The grants are in the order of `reservations`. A lone instance may hold all of `maxHeld`. With several instances,
 * each gets at most half of what is left. Locks rows in key order, so that concurrent statements cannot deadlock.
 */
export const reserveUses = async (
  db: RateLimitExecutor,
  reservations: readonly LimitReservation[],
): Promise<LimitGrant[]> => {
  const grants = await db.execute<Pick<LimitGrant, keyof LimitGrant> & { key: string }>(sql`
    with requested as materialized (
      select * from json_to_recordset(${JSON.stringify(reservations)}::text::json) as reservation (
        key text, "limit" integer, "maxHeld" integer, "windowS" integer, "window" timestamptz, released integer, own integer)
    )
    insert into ${rateLimits} as known (key, used, held, granted, resets_at)
    select key, 1 + advance, advance, 1 + advance, statement_timestamp() + "windowS" * interval '1 second'
    from (select *, least("maxHeld", "limit" - 1) as advance from requested) as first
    order by key
    on conflict (key) do update set (used, held, granted, resets_at) = (
      select used + granted, held + greatest(0, granted - 1), granted, resets_at
      from requested
      cross join lateral (
        select has_ended, not has_ended and known.resets_at is not distinct from "window" as reported
        from (select known.resets_at <= statement_timestamp() as has_ended) as known_window
      ) as known_state
      cross join lateral (select
        case when has_ended then 0 else least(known.used, "limit") end as used,
        case when has_ended then 0 else greatest(0, known.held - case when reported then released else 0 end) end as held,
        case when has_ended then excluded.resets_at else known.resets_at end as resets_at
      ) as counted
      cross join lateral (select
        case when used = case when reported then own else 0 end then greatest(0, "maxHeld" - held)
        else least(greatest(0, "maxHeld" - held) / 2, ("limit" - used) / 20) end as share
      ) as advance
      cross join lateral (select
        case when used < "limit" then 1 + least(share, "limit" - used - 1) else 0 end as granted
      ) as decision
      where requested.key = known.key
    )
    returning key, granted, used, held, resets_at::text as "window",
      extract(epoch from resets_at - statement_timestamp())::float8 as "resetsInS"`)
  const grantsByKey = new Map(grants.map((grant) => [grant.key, grant]))
  return reservations.flatMap(({ key }) => grantsByKey.get(key) ?? [])
}

/** Ignores uses of a window that has ended. */
export const refundUses = async (db: RateLimitExecutor, refunds: readonly LimitRefund[]) => {
  await db.execute(sql`
    with refunds as materialized (
      select * from json_to_recordset(${JSON.stringify(refunds)}::text::json)
        as refund (key text, "window" timestamptz, uses integer, released integer)
    ), locked as materialized (
      select key from ${rateLimits} where key in (select key from refunds) order by key for update
    )
    update ${rateLimits} as known set
      used = greatest(0, known.used - refunds.uses), held = greatest(0, known.held - refunds.released)
    from locked join refunds using (key)
    where known.key = locked.key
      and known.resets_at = "window"`)
}

export const deleteExpiredCounts = async (db: RateLimitExecutor) => {
  await db.execute(sql`
    delete from ${rateLimits} where key in (
      select key from ${rateLimits} where resets_at <= statement_timestamp() limit 1000 for update skip locked)`)
}
