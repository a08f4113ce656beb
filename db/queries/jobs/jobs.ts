import { sql } from 'drizzle-orm'
import { activeTrace, type QueuedTrace, queuedTraceOf } from '#shared/tracing/trace.ts'
import type { Queryable } from '../../client/connection.ts'
import { requireRow } from '../../client/drizzle.ts'
import type { InfrastructureCode } from './failure.ts'

export interface SeparatedStem {
  readonly kind: string
  readonly label: string
  readonly url: string
  readonly contentType: string
  readonly durationMs: number | null
}

/** A retry must send exactly the same contents, or the provider rejects it. */
interface InvitationContent {
  readonly packName: string
  /** The link to the pack. Null if no link is active; absent in jobs that earlier versions queued. */
  readonly link?: { readonly slug: string; readonly requiresAccessCode: boolean } | null
}

/** A notice for operators. Names no account, and contains nothing that a client sent. */
export interface OperatorNotice {
  /**
   * A UUID. It ensures that a notice is queued only once, and lets a receiver recognize a notice that was sent twice.
   */
  readonly id: string
  readonly type:
    | 'route.stopped'
    | 'route.held'
    | 'route.killed'
    | 'route.resumed'
    | 'route.promoted'
    | 'route.gate_ready'
    | 'drill.ended'
    | 'breaker.open'
    | 'job.dead_lettered'
  /** ISO 8601. */
  readonly at: string
  readonly summary: string
  readonly details: Readonly<Record<string, string | number | null>>
}

export type Job =
  | { readonly queue: 'process-version'; readonly runId: string }
  | { readonly queue: 'check-asset'; readonly assetId: string }
  | { readonly queue: 'dispatch-analysis'; readonly dispatchId: string }
  | { readonly queue: 'import-stems'; readonly dispatchId: string; readonly stems: readonly SeparatedStem[] }
  | ({ readonly queue: 'send-invitation'; readonly invitationId: string } & InvitationContent)
  | { readonly queue: 'notify-operators'; readonly notice: OperatorNotice }

interface Outage {
  readonly code: InfrastructureCode
  readonly since: string
}

/**
 * A job as stored, with the trace that queued it. Jobs that earlier versions queued, and some that the core queued,
 * have no trace. `outage` is from the last attempt.
 */
export type StoredJob = Job & Partial<QueuedTrace> & { readonly outage?: Outage }

const addTrace = (job: Job): StoredJob => {
  const trace = activeTrace()
  return trace ? { ...job, ...queuedTraceOf(trace) } : job
}

// Long, because a gate may stay ready for weeks, and each evaluation would otherwise queue the notice again.
const readyGateMemoryS = 30 * 86_400

/**
 * Inserts a job into its queue as part of the transaction. Inserts a notice only if the queue does not contain it yet,
 * whether sent or not. Uses SQL, because pg-boss runs only on Node. A trigger sets the job's priority so that accounts
 * are served round-robin. The rows that the job refers to must already be inserted.
 */
export const insertJob = async (tx: Queryable, job: Job) => {
  const id = job.queue === 'notify-operators' ? job.notice.id : null
  const memoryS =
    job.queue === 'notify-operators' && job.notice.type === 'route.gate_ready' ? readyGateMemoryS : 0
  const queues = await tx.execute(sql`
    with inserted as (
      insert into pgboss.job (
        id, name, data, policy, retry_limit, retry_delay, retry_backoff, retry_delay_max, expire_seconds,
        deletion_seconds, keep_until, dead_letter, heartbeat_seconds)
      select
        coalesce(${id}::uuid, gen_random_uuid()), name, ${JSON.stringify(addTrace(job))}::text::jsonb, policy,
        retry_limit, retry_delay, retry_backoff, retry_delay_max, expire_seconds,
        greatest(deletion_seconds, ${memoryS}::int), now() + retention_seconds * interval '1 second', dead_letter,
        heartbeat_seconds
      from pgboss.queue
      where name = ${job.queue}
        and not exists (select from pgboss.job as known where known.name = queue.name and known.id = ${id}::uuid)
      on conflict (name, id) do nothing)
    select from pgboss.queue where name = ${job.queue}`)
  if (queues.length === 0) throw new Error(`job queue ${job.queue} does not exist: run the migrations`)
}

/** The channel on which a trigger announces a new job's queue and the seconds until the job is due. */
export const jobChannel = 'crossfade_jobs'

interface QueueCheck {
  readonly due: readonly string[]
  /** Seconds until the next retry is due; null if no retry is waiting. */
  readonly nextRetryS: number | null
  /** Seconds since a worker last supervised the queues; null if none ever has. */
  readonly supervisedS: number | null
}

// The priority of retries that are not due yet (migration 0007).
const waitingRetry = -2147483647

/**
 * Gives due retries their proper priority (until they are due, they come last), and finds what a worker has to do.
 * Sends `probe` to the channel unless it is null.
 */
export const checkQueues = async (tx: Queryable, probe: string | null): Promise<QueueCheck> => {
  const rows = await tx.execute<Record<string, unknown> & QueueCheck>(sql`
    select
      place_due_retries()::text as placed,
      case when ${probe}::text is not null then pg_notify(${jobChannel}, ${probe})::text end as probed,
      (select coalesce(json_agg(name), '[]') from pgboss.queue where exists (
        select 1 from pgboss.job
        where job.name = queue.name and state < 'active' and not blocked and start_after <= now())) as due,
      extract(epoch from (select min(retry.start_after) from pgboss.queue cross join lateral (
        select min(start_after) as start_after from pgboss.job
        where job.name = queue.name and state < 'active' and not blocked and priority = ${waitingRetry}
          and start_after > now()) as retry) - now())::float8 as "nextRetryS",
      (select extract(epoch from now() - max(monitor_claim_on)) from pgboss.queue)::float8 as "supervisedS"`)
  return requireRow(rows)
}

export interface QueuedJob {
  readonly queue: Job['queue']
  readonly id: string
}

/** One attempt at a job. If another worker has fetched the job since, the job's retry count is higher. */
export interface JobAttempt extends QueuedJob {
  readonly retryCount: number
}

const isActive = ({ queue, id, retryCount }: JobAttempt) =>
  sql`name = ${queue} and id = ${id}::uuid and state = 'active' and retry_count = ${retryCount}`

const longestOutageS = 86_400
const longestDelayS = 600
const longestRetryAfterS = 3600

/**
 * Makes a failing job wait for infrastructure without using up retries. The delay grows exponentially up to ten minutes
 * and is at least `retryAfterS`. After 24 hours, the failure is final. Returns whether the job is retried; null if this
 * worker no longer has it.
 */
export const waitForInfrastructure = async (
  tx: Queryable,
  job: JobAttempt,
  code: InfrastructureCode,
  retryAfterS = 0,
): Promise<boolean | null> => {
  const since = sql`coalesce(data->'outage'->'since', to_jsonb(now()))`
  const isOver = sql`(data->'outage'->>'since')::timestamptz < now() - ${longestOutageS} * interval '1 second'`
  // pg-boss doubles the delay with each retry, so this divides by the factor that pg-boss will multiply by.
  const [waiting] = await tx.execute(sql`
    update pgboss.job set
      data = data || jsonb_build_object('outage', jsonb_build_object('code', ${code}::text, 'since', ${since})),
      retry_limit = case when ${isOver} then retry_count else greatest(retry_limit, retry_count) + 1 end,
      retry_backoff = true,
      retry_delay = greatest(1, retry_delay, ceil(${retryAfterS}::int / 2 ^ least(16, retry_count)))::int,
      retry_delay_max = greatest(${longestDelayS}::int, least(${longestRetryAfterS}::int, ${retryAfterS}::int))
    where ${isActive(job)}
    returning retry_count < retry_limit as "isRetried"`)
  return waiting ? waiting.isRetried === true : null
}

export const endOutage = async (db: Queryable, job: JobAttempt) => {
  await db.execute(sql`update pgboss.job set data = data - 'outage' where ${isActive(job)}`)
}

/** Lets a stopping worker return an active job without using up a retry. */
export const grantRetry = async (db: Queryable, job: JobAttempt) => {
  await db.execute(sql`update pgboss.job set retry_limit = retry_limit + 1 where ${isActive(job)}`)
}

// One worker supervises the queues every five seconds, and stores the time in each queue's row. If that worker exits,
// another takes over within 15 seconds.
const supervisionTimeoutS = 20

export const hasRunningWorkers = async (db: Queryable) => {
  const [row] = await db.execute(sql`
    select coalesce(max(monitor_claim_on) > now() - ${supervisionTimeoutS} * interval '1 second', false) as supervised
    from pgboss.queue`)
  return row?.supervised === true
}

interface CountedQueue {
  readonly queue: string
  readonly waiting: number
  readonly retrying: number
  readonly active: number
  readonly done: number
  readonly failed: number
  readonly oldestS: number
}

/** A running worker updates them every few seconds. */
export const countJobs = (db: Queryable): Promise<readonly CountedQueue[]> =>
  db.execute<Record<string, unknown> & CountedQueue>(sql`
    select name as queue, greatest(0, queued_count - deferred_count) as waiting, deferred_count as retrying,
      active_count as active, failed_count as failed,
      greatest(0, total_count - queued_count - active_count - failed_count) as done,
      coalesce(extract(epoch from now() - (
        select min(start_after) from pgboss.job
        where job.name = queue.name and state < 'active' and start_after <= now()
      )), 0)::float8 as "oldestS"
    from pgboss.queue order by name`)
