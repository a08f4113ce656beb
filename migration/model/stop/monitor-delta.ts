import { z } from 'zod'
import { StoredBehaviour } from './stored-baseline.ts'
import { StoredReportedVotes } from './stored-votes.ts'

const count = z.int().nonnegative()

/** `RequestCounts`, as stored. */
export const StoredCounts = z.object({
  requests: count,
  errors: count,
  sharedErrors: count,
  // Older versions of the code do not report it.
  lateErrors: count.default(0),
  timed: count,
  slow: count,
})

/** What an instance reports to the fleet: its counts since the last report, and what it expects. */
export const MonitorDelta = z.object({
  /** The version of the state of the route, and the epoch in which the instance adopted it. */
  version: count,
  epoch: count,
  /** The code that served natively. */
  evidenceKey: z.string().nullable(),
  native: StoredCounts,
  core: StoredCounts,
  /** Null if the core fails too often for a rate of errors to be compared. */
  goodErrorRate: z.number().min(0).max(1).nullable(),
  /** Whether nothing older is known than what native has been since the step began. */
  isSelfCompared: z.boolean(),
  /** Whether the usual error rate is known; this and the next are not reported by older versions of the code. */
  isRateKnown: z.boolean().optional(),
  /** Whether polls of the database took longer than usual. */
  isDatabaseSlow: z.boolean().optional(),
  requestsPerDay: count,
  /** How both sides have served the route in the last one to two days. */
  usual: z.object({ core: StoredBehaviour, native: StoredBehaviour }),
  /** Not reported by older versions of the code. */
  votes: StoredReportedVotes.optional(),
})
export type MonitorDelta = z.infer<typeof MonitorDelta>
