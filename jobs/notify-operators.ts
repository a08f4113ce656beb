import type { OperatorNotice } from '#db/queries/jobs/jobs.ts'
import type { JobPorts } from './ports.ts'

/** Sends a notice to the operators' receiver. Without one, notices are dropped. */
export const notifyOperators = async (
  notice: OperatorNotice,
  { notices }: Pick<JobPorts, 'notices'>,
  signal: AbortSignal,
) => {
  await notices?.send(notice, signal)
}
