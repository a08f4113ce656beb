import { idOfEvent } from '#db/new-id.ts'
import { infrastructureFailure } from '#db/queries/jobs/failure.ts'
import { insertJob, type StoredJob } from '#db/queries/jobs/jobs.ts'
import { findJobDefinition } from './job-definitions.ts'
import type { JobPorts } from './ports.ts'

const processingFailed = { code: 'processing_failed', message: 'The file could not be processed.' }

/**
 * A job is dead-lettered when its last attempt failed, when its worker crashed on every attempt, or after a day without
 * the infrastructure that it needs. `id` identifies the dead letter. If a worker crashes, another worker may handle the
 * same dead letter again.
 */
export const handleDeadLetter = (
  id: string,
  job: StoredJob,
  { db, log, clock }: Pick<JobPorts, 'db' | 'log' | 'clock'>,
) => {
  const definition = findJobDefinition(job.queue)
  const failure = job.outage
    ? infrastructureFailure(job.outage.code)
    : (definition?.failure ?? processingFailed)
  log.warn({ queue: job.queue, code: failure.code }, 'job moved to dead-letter queue')
  return db.tx(async (tx) => {
    await definition?.markAsFailed?.(tx, job, failure)
    // If a notice fails, a notice about that would not arrive either.
    if (job.queue === 'notify-operators') return
    const notice = {
      id: idOfEvent(`dead letter ${id}`),
      type: 'job.dead_lettered',
      at: clock.now().toISOString(),
      summary: `A job in ${job.queue} has failed permanently: ${failure.message}`,
      details: { queue: job.queue, code: failure.code },
    } as const
    await insertJob(tx, { queue: 'notify-operators', notice })
  })
}
