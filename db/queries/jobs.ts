import { sql } from 'drizzle-orm'
import type { Queryable } from '../client/connection.ts'

/** A stem that the analysis service has separated, at an address of its own. */
export interface SeparatedStem {
  readonly kind: string
  readonly label: string
  readonly url: string
  readonly contentType: string
  readonly durationMs: number | null
}

/** Work that is done after the answer, by another process. */
export type Job =
  | { readonly queue: 'process-version'; readonly runId: string }
  | { readonly queue: 'check-asset'; readonly assetId: string }
  | { readonly queue: 'dispatch-analysis'; readonly dispatchId: string }
  | { readonly queue: 'import-stems'; readonly dispatchId: string; readonly stems: readonly SeparatedStem[] }

/**
 * Puts a job into its queue: it is there once the transaction is committed, and not at all if it is not. Written as
 * SQL, for the library that works the queues off runs on Node alone. A trigger of the table gives it its priority, so
 * that accounts are served in turn; what the job refers to must have been inserted before.
 */
export const insertJob = async (tx: Queryable, job: Job) => {
  const inserted = await tx.execute(sql`
    insert into pgboss.job (
      name, data, policy, retry_limit, retry_delay, retry_backoff, retry_delay_max,
      expire_seconds, deletion_seconds, keep_until, dead_letter, heartbeat_seconds)
    select
      name, ${JSON.stringify(job)}::text::jsonb, policy, retry_limit, retry_delay, retry_backoff, retry_delay_max,
      expire_seconds, deletion_seconds, now() + retention_seconds * interval '1 second', dead_letter, heartbeat_seconds
    from pgboss.queue where name = ${job.queue}
    returning id`)
  if (inserted.length === 0) throw new Error(`there is no queue ${job.queue}`)
}

/** Gives retries that have become due their places among the jobs that wait; until then they stand behind all. */
export const queueDueRetries = async (db: Queryable) => {
  await db.execute(sql`select place_due_retries()`)
}

// A worker looks after the queues every five seconds and leaves the time with each.
const attendedWithinS = 20

/** Whether some worker has looked after the queues lately. */
export const hasRunningWorkers = async (db: Queryable) => {
  const [found] = await db.execute(sql`
    select coalesce(max(monitor_claim_on) > now() - ${attendedWithinS} * interval '1 second', false) as attended
    from pgboss.queue`)
  return found?.attended === true
}
