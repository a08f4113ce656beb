import { sql } from 'drizzle-orm'
import type { Queryable } from '../../client/connection.ts'
import type { QueuedJob, StoredJob } from './jobs.ts'

/**
 * A job that ran out of retries. pg-boss keeps it in its queue for a week, and puts a copy into the dead-letter queue.
 */
export type DeadLetter = QueuedJob

// The copy stays in `lost-jobs` until a worker has marked the job's subject as failed.
const isCopyOf = ({ id }: DeadLetter) => sql`name = 'lost-jobs' and source_id = ${id}::uuid`

export const listDeadLetters = (
  db: Queryable,
  queue: DeadLetter['queue'] | null,
): Promise<readonly DeadLetter[]> =>
  db.execute<Record<string, unknown> & DeadLetter>(sql`
    select job.name as queue, job.id::text from pgboss.job join pgboss.queue on queue.name = job.name
    where state = 'failed' and queue.dead_letter is not null and (${queue}::text is null or job.name = ${queue})
    order by completed_on`)

/** Returns null if it is gone or someone else has locked it. */
export const lockDeadLetter = async (tx: Queryable, { queue, id }: DeadLetter): Promise<StoredJob | null> => {
  const [job] = await tx.execute<{ data: StoredJob }>(sql`
    select data from pgboss.job where name = ${queue} and id = ${id}::uuid and state = 'failed'
    for update skip locked`)
  return job?.data ?? null
}

/** Returns false if a worker is busy marking the job's subject as failed. */
export const deleteCopyOfDeadLetter = async (tx: Queryable, job: DeadLetter) => {
  await tx.execute(sql`delete from pgboss.job where ${isCopyOf(job)} and state < 'active'`)
  const active = await tx.execute(sql`select from pgboss.job where ${isCopyOf(job)} and state = 'active'`)
  return active.length === 0
}

export const deleteLockedDeadLetter = async (tx: Queryable, { queue, id }: DeadLetter) => {
  await tx.execute(sql`delete from pgboss.job where name = ${queue} and id = ${id}::uuid`)
}
