import { z } from 'zod'
import { createErrorStream } from './errors.ts'
import { StoredCounts } from './monitor-delta.ts'
import { createRequestTally } from './request-counts.ts'
import { createSlownessStream } from './slowness.ts'
import { rejectionKinds } from './votes.ts'

const count = z.number().nonnegative()

/** A `CusumStream`, as stored. */
export const StoredCusum = z.object({
  sum: count,
  requests: count,
  bad: count,
  requestsBefore: count,
  badBefore: count,
})

// The difference between all routes' totals and one route's. May be negative after rows were lost.
const StoredTimed = z.object({ timed: z.number(), slow: z.number() })

/** A `RequestTally`, as stored. */
export const StoredTally = z.object({
  total: StoredCounts,
  current: StoredCounts,
  previous: StoredCounts,
  halfMinute: z.number(),
})

const StoredRejections = z.partialRecord(
  z.enum(rejectionKinds),
  z.object({
    cusum: StoredCusum,
    voters: z.array(count),
    core: z.object({ served: count, voters: z.array(count) }),
    alarmedAt: z.number().nullable(),
  }),
)

const CodeState = z.object({
  evidenceKey: z.string().nullable(),
  errors: z.object({
    cusum: StoredCusum,
    coreBefore: z.object({ requests: count, errors: count }),
    sharedBefore: count,
    // Older versions of the code do not store this.
    lateBefore: z.number().default(0),
    othersBefore: z.object({ requests: z.number(), errors: z.number() }).default({ requests: 0, errors: 0 }),
    requiredMs: count.default(0),
    alarmedAt: z.number().nullable(),
  }),
  slowness: z.object({
    cusum: StoredCusum,
    coreBefore: StoredTimed,
    othersBefore: StoredTimed,
    alarmedAt: z.number().nullable(),
  }),
  // Older versions of the code do not store this.
  rejections: StoredRejections.default({}),
  native: StoredTally,
})
/** What all instances with the same code have observed about a route. */
export type CodeState = z.infer<typeof CodeState>

/** What all instances together have observed about a route since its state last changed. */
export const FleetState = z.object({
  version: z.int(),
  /** The newest epoch in which an instance adopted this version. */
  epoch: z.int(),
  core: StoredTally,
  /** What native served with any code. */
  native: StoredTally,
  /** The most recently reported code comes first. */
  codes: z.array(CodeState),
})
export type FleetState = z.infer<typeof FleetState>

export const createFleetState = (version: number, epoch: number): FleetState => ({
  version,
  epoch,
  core: createRequestTally(),
  native: createRequestTally(),
  codes: [],
})

export const createCodeState = (evidenceKey: string | null): CodeState => ({
  evidenceKey,
  errors: createErrorStream(),
  slowness: createSlownessStream(),
  rejections: {},
  native: createRequestTally(),
})
