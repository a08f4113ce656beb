import type { Job } from '#db/queries/jobs.ts'

export type JobQueue = Job['queue']

/** The queues of the jobs. */
export const jobQueues: readonly JobQueue[] = [
  'process-version',
  'check-asset',
  'dispatch-analysis',
  'import-stems',
  'send-invitation',
]
