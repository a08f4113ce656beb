import type { Queryable } from '#db/client/connection.ts'
import {
  type DeadLetter,
  deleteCopyOfDeadLetter,
  deleteLockedDeadLetter,
  listDeadLetters,
  lockDeadLetter,
} from '#db/queries/jobs/dead-letters.ts'
import { insertJob, type Job } from '#db/queries/jobs/jobs.ts'
import { findJobDefinition } from './job-definitions.ts'
import type { JobPorts } from './ports.ts'

type Outcome = 'redriven' | 'obsolete' | 'busy'

const redriveJob = async (tx: Queryable, letter: DeadLetter): Promise<Outcome | null> => {
  const stored = await lockDeadLetter(tx, letter)
  if (!stored) return null
  if (!(await deleteCopyOfDeadLetter(tx, letter))) return 'busy'
  await deleteLockedDeadLetter(tx, letter)
  if (!(await findJobDefinition(stored.queue)?.reopen(tx, stored))) return 'obsolete'
  const { outage: _, ...job } = stored
  await insertJob(tx, job)
  return 'redriven'
}

export type RedriveCounts = Readonly<Record<Outcome, number>>

/**
 * Each job has its own transaction. Safe to run several times at once and while workers run. Returns counts for each
 * queue that had dead-lettered jobs.
 */
export const redrive = async (db: JobPorts['db'], queue: Job['queue'] | null) => {
  const counts = new Map<Job['queue'], RedriveCounts>()
  for (const letter of await db.tx((tx) => listDeadLetters(tx, queue))) {
    const outcome = await db.tx((tx) => redriveJob(tx, letter))
    const known = counts.get(letter.queue) ?? { redriven: 0, obsolete: 0, busy: 0 }
    if (outcome) counts.set(letter.queue, { ...known, [outcome]: known[outcome] + 1 })
  }
  return counts
}
