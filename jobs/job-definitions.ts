import type { Queryable } from '#db/client/connection.ts'
import type { Failure } from '#db/queries/jobs/failure.ts'
import type { Job, StoredJob } from '#db/queries/jobs/jobs.ts'
import { checkAssetJob } from './check-asset.ts'
import { dispatchAnalysisJob } from './dispatch-analysis.ts'
import { importStemsJob } from './import-stems.ts'
import { notifyOperatorsJob } from './notify-operators.ts'
import type { JobPorts } from './ports.ts'
import { processVersionJob } from './process-version.ts'
import { sendInvitationJob } from './send-invitation.ts'

export type JobOf<Q extends Job['queue']> = Extract<StoredJob, { queue: Q }>

/** All that a worker has to know about the jobs of a queue. */
export interface JobDefinition<J extends StoredJob = StoredJob> {
  readonly queue: J['queue']
  /** The number of jobs that a worker runs at the same time. */
  readonly concurrency: number
  /** Why a job failed, unless it was an outage. Defaults to a file that could not be processed. */
  readonly failure?: Failure
  run(job: J, ports: JobPorts, signal: AbortSignal): Promise<void>
  /** Records which infrastructure the work is waiting for, if its owner can see that. */
  postpone?(tx: Queryable, job: J, failure: Failure): Promise<void>
  /** Marks the work as failed after the last attempt. */
  markAsFailed?(tx: Queryable, job: J, failure: Failure): Promise<void>
  /** Undoes `markAsFailed`. Returns whether the work is still needed. Work that is not yet marked is left unchanged. */
  reopen(tx: Queryable, job: J): Promise<boolean>
}

const byQueue: { readonly [Q in Job['queue']]: JobDefinition<JobOf<Q>> } = {
  'process-version': processVersionJob,
  'check-asset': checkAssetJob,
  'dispatch-analysis': dispatchAnalysisJob,
  'import-stems': importStemsJob,
  'send-invitation': sendInvitationJob,
  'notify-operators': notifyOperatorsJob,
}

export const jobDefinitions: readonly JobDefinition[] = Object.values(byQueue)

/** Returns undefined for a queue that only a newer release knows. */
export const findJobDefinition = (queue: string) => jobDefinitions.find((known) => known.queue === queue)
