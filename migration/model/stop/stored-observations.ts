import { z } from 'zod'
import { maxVoters, maxVotersOfReport, rejectionKinds } from './rejections.ts'

// Instances on Workers count but store nothing. The code that counts therefore imports only the types from here, so
// that it does not load zod.

const count = z.int().nonnegative()
const nonNegative = z.number().nonnegative()

const RequestCounts = z.object({
  requests: count,
  errors: count,
  /** Native failures after which the core failed on the same request. */
  sharedErrors: count,
  /** Native failures that took `lateErrorMs` or more, possibly because a dependency stalled. */
  // Older releases do not report this.
  lateErrors: count.default(0),
  /** Successes whose durations were compared with the slow threshold. */
  timed: count,
  slow: count,
})
export type RequestCounts = z.infer<typeof RequestCounts>

export const RequestTally = z.object({
  total: RequestCounts,
  current: RequestCounts,
  previous: RequestCounts,
  halfMinute: z.number(),
})
export type RequestTally = z.infer<typeof RequestTally>

/** A cumulative sum of log-likelihood ratios. */
export const CusumStream = z.object({
  sum: nonNegative,
  /** Observations since the sum was last zero. An alarm is based on these. */
  requests: nonNegative,
  bad: nonNegative,
  requestsBefore: nonNegative,
  badBefore: nonNegative,
})
export type CusumStream = z.infer<typeof CusumStream>

const AlarmStream = z.object({
  cusum: CusumStream,
  /** When the sum reached the threshold, in milliseconds; null if it has not, or once the alarm is settled. */
  alarmedAt: z.number().nullable(),
})
export type AlarmStream = z.infer<typeof AlarmStream>

/** A stream of failures, with the counts at the time its sum was last zero. */
const ErrorStream = AlarmStream.extend({
  coreBefore: z.object({ requests: nonNegative, errors: nonNegative }),
  /** Native's failures that also occurred on the core (`sharedBefore`), and its late failures (`lateBefore`). */
  sharedBefore: nonNegative,
  // Older releases do not store this or the next two fields.
  lateBefore: z.number().default(0),
  othersBefore: z.object({ requests: z.number(), errors: z.number() }).default({ requests: 0, errors: 0 }),
  /** How long the alarm must last before it stops the route. 0 unless a dependency may have stalled. */
  requiredMs: nonNegative.default(0),
})
export type ErrorStream = z.infer<typeof ErrorStream>

// The difference between all routes' totals and one route's. May be negative after rows were lost.
const TimedDifference = z.object({ timed: z.number(), slow: z.number() })

/** A stream of slow responses, with what the core and other routes had served at the time its sum was last zero. */
const SlownessStream = AlarmStream.extend({ coreBefore: TimedDifference, othersBefore: TimedDifference })
export type SlownessStream = z.infer<typeof SlownessStream>

/** A stream of one kind of rejection. Each client has at most one bad vote until the sum is zero again. */
const RejectionStream = AlarmStream.extend({
  voters: z.array(nonNegative),
  core: z.object({ served: nonNegative, voters: z.array(nonNegative) }),
})
export type RejectionStream = z.infer<typeof RejectionStream>

/** The streams of one code, by kind of rejection. Only streams with a sum above zero are kept. */
const RejectionStreams = z.partialRecord(z.enum(rejectionKinds), RejectionStream)
export type RejectionStreams = z.infer<typeof RejectionStreams>

const SideVotes = z.object({
  /** How many clients were served. Each counts once per minute. */
  served: count,
  rejected: z.partialRecord(z.enum(rejectionKinds), z.array(count.max(maxVoters - 1)).max(maxVotersOfReport)),
})
export type SideVotes = z.infer<typeof SideVotes>

/** One side's votes over one to two days. Each client counts at most once per kind and minute. */
const UsualVotes = z.object({ served: count, rejected: z.partialRecord(z.enum(rejectionKinds), count) })
export type UsualVotes = z.infer<typeof UsualVotes>

const ReportedVotes = z.object({
  native: SideVotes,
  core: SideVotes,
  /**
   * The core's usual votes. If too few are known and native serves everyone, native's; null if those are too few as
   * well.
   */
  usual: UsualVotes.nullable(),
  /** Whether native serves everyone, so that there is no core to compare with. */
  isAlone: z.boolean(),
})
export type ReportedVotes = z.infer<typeof ReportedVotes>

const UsualBehaviour = z.object({
  requests: count,
  errors: count,
  /** The number of requests that did not fail. */
  timed: count,
  /** In milliseconds; 0 if `timed` is 0. */
  p95Ms: nonNegative,
  /** Older releases do not store this. */
  votes: UsualVotes.optional(),
})
export type UsualBehaviour = z.infer<typeof UsualBehaviour>

const Measurement = UsualBehaviour.extend({
  /** The code that was measured; null for the core. */
  evidenceKey: z.string().nullable(),
  /** Unix milliseconds. */
  measuredAt: z.number(),
})
export type Measurement = z.infer<typeof Measurement>

/** How one side usually serves a route, measured over all instances. */
export const StoredBaseline = z.object({
  /** The measurement of an earlier day or earlier code; null if there is none yet. */
  former: Measurement.nullable(),
  latest: Measurement,
  /** When the day of `latest` began or, if later, when its code was first measured. */
  since: z.number(),
})
export type StoredBaseline = z.infer<typeof StoredBaseline>

/** What an instance reports to the fleet: its counts since the last report, and what it expects. */
export const MonitorDelta = z.object({
  /** The version of the route's state, and the epoch in which the instance adopted that version. */
  version: count,
  epoch: count,
  evidenceKey: z.string().nullable(),
  native: RequestCounts,
  core: RequestCounts,
  /** Null if the core fails too often to compare error rates. */
  goodErrorRate: z.number().min(0).max(1).nullable(),
  /** Whether nothing is known from before the step began. Native is then compared with itself. */
  isSelfCompared: z.boolean(),
  /** Whether the usual error rate is known. Older releases report neither this nor the next field. */
  isRateKnown: z.boolean().optional(),
  isDatabaseSlow: z.boolean().optional(),
  requestsPerDay: count,
  usual: z.object({ core: UsualBehaviour, native: UsualBehaviour }),
  /** Older releases do not report this. */
  votes: ReportedVotes.optional(),
})
export type MonitorDelta = z.infer<typeof MonitorDelta>

const CodeState = z.object({
  evidenceKey: z.string().nullable(),
  errors: ErrorStream,
  slowness: SlownessStream,
  // Older releases do not store this.
  rejections: RejectionStreams.default({}),
  native: RequestTally,
})
export type CodeState = z.infer<typeof CodeState>

/** What all instances together have observed about a route since its state last changed. */
export const FleetState = z.object({
  version: z.int(),
  /** The newest epoch in which an instance adopted this version. */
  epoch: z.int(),
  core: RequestTally,
  native: RequestTally,
  /** The most recently reported code comes first. */
  codes: z.array(CodeState),
})
export type FleetState = z.infer<typeof FleetState>
