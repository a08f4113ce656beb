import { z } from 'zod'

const count = z.int().nonnegative()

/** `CohortCounts`, as stored. */
export const StoredCounts = z.object({
  nativeRequests: count,
  nativeErrors: count,
  sharedErrors: count,
  nativeTimed: count,
  nativeSlow: count,
  coreRequests: count,
  coreErrors: count,
  coreTimed: count,
  coreSlow: count,
})

/** What an instance reports to the fleet: its counts since the last report, and what it expects. */
export const MonitorDelta = StoredCounts.extend({
  /** The version of the state of the route. */
  version: count,
  nativeShare: z.enum(['some', 'all']),
  /** Null if the core fails too often for a rate of errors to be compared. */
  goodErrorRate: z.number().min(0).max(1).nullable(),
  requestsPerDay: count,
})
export type MonitorDelta = z.infer<typeof MonitorDelta>
