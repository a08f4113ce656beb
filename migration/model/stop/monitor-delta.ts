import { z } from 'zod'
import { StoredBehaviour } from './stored-baseline.ts'
import { StoredReportedVotes } from './stored-votes.ts'

const count = z.int().nonnegative()

/** `RequestCounts`, as stored. */
export const StoredCounts = z.object({
  requests: count,
  errors: count,
  sharedErrors: count,
  // Older versions of the code do not report this.
  lateErrors: count.default(0),
  timed: count,
  slow: count,
})

/** What an instance reports to the fleet: its counts since the last report, and what it expects. */
export const MonitorDelta = z.object({
  /** The version of the route's state, and the epoch in which the instance adopted that version. */
  version: count,
  epoch: count,
  /** The code that served natively. */
  evidenceKey: z.string().nullable(),
  native: StoredCounts,
  core: StoredCounts,
  /** Null if the core fails too often to compare error rates. */
  goodErrorRate: z.number().min(0).max(1).nullable(),
  /** Whether nothing is known from before the step began, so that native is compared with itself. */
  isSelfCompared: z.boolean(),
  /** Whether the usual error rate is known. Older versions of the code report neither this nor the next field. */
  isRateKnown: z.boolean().optional(),
  /** Whether polls of the database take longer than usual. */
  isDatabaseSlow: z.boolean().optional(),
  requestsPerDay: count,
  /** How both sides served the route in the last one to two days. */
  usual: z.object({ core: StoredBehaviour, native: StoredBehaviour }),
  /** Older versions of the code do not report this. */
  votes: StoredReportedVotes.optional(),
})
export type MonitorDelta = z.infer<typeof MonitorDelta>
