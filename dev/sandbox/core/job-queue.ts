import type { Queryable } from './database.ts'

type Job =
  | { readonly queue: 'process-version'; readonly runId: string }
  | { readonly queue: 'check-asset'; readonly assetId: string }
  | { readonly queue: 'dispatch-analysis'; readonly dispatchId: string }

/** Inserts a job into the pg-boss queue that the job worker reads, in the caller's transaction. */
export const queueJob = (tx: Queryable, job: Job) => tx`
  insert into pgboss.job (name, data, retry_limit, retry_delay, retry_backoff, retry_delay_max, expire_seconds,
    deletion_seconds, keep_until, policy, dead_letter, heartbeat_seconds)
  select name, ${tx.json(job)}, retry_limit, retry_delay, retry_backoff, retry_delay_max, expire_seconds,
    deletion_seconds, now() + retention_seconds * interval '1 second', policy, dead_letter, heartbeat_seconds
  from pgboss.queue where name = ${job.queue}`
