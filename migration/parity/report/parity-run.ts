import * as z from 'zod'
import {
  blames,
  differenceClasses,
  differenceKinds,
  selectMostSevere,
  type Verdict,
} from '../../diff/verdict.ts'
import { EvidenceKey } from './contract-report.ts'
import { RecordedRequest, Recording } from './recording.ts'

const Status = z.int().min(100).max(599)

const ReportedDifference = z.strictObject({
  kind: z.enum(differenceKinds),
  path: z.string(),
  class: z.enum(differenceClasses),
  blame: z.enum(blames),
  signature: z.string(),
  count: z.int().min(1),
  example: z.strictObject({
    path: z.string(),
    native: z.string().nullable(),
    core: z.string().nullable(),
  }),
  reason: z.string().optional(),
  expires: z.iso.date().optional(),
  forbidsPromotion: z.literal(true).optional(),
})
export type ReportedDifference = z.infer<typeof ReportedDifference>

/** The result of comparing both sides' responses to one request. */
const Comparison = z.strictObject({
  label: z.string(),
  scenario: z.string(),
  native: Status.nullable(),
  core: Status.nullable(),
  class: z.enum(differenceClasses),
  differences: z.array(ReportedDifference),
  /** Absent if a scenario could not run, and in earlier versions' reports. */
  recording: Recording.optional(),
})
export type Comparison = z.infer<typeof Comparison>

/** A compared route, with its documented statuses. */
const ComparedRow = z.strictObject({
  label: z.string(),
  method: z.string(),
  path: z.string(),
  statuses: z.array(Status),
  /** The evidence key of the compared native code; null if unknown, because a different machine runs the code. */
  evidenceKey: EvidenceKey.nullable(),
  /** The shapes of queries and responses that no comparison showed. Absent in earlier versions' reports. */
  unseenShapes: z.array(z.string()).optional(),
})
export type ComparedRow = z.infer<typeof ComparedRow>

/** Returns the reported part of a verdict. `scenario` is the scenario's title. */
export const toComparison = (
  scenario: string,
  { label, native, core, ...verdict }: Verdict,
  recording?: Recording,
): Comparison => ({
  label,
  scenario,
  native,
  core,
  class: verdict.class,
  differences: [...verdict.differences],
  ...(recording === undefined ? {} : { recording }),
})

/** The results of a run. The report's summary is computed from them. */
export const ParityRun = z
  .strictObject({
    startedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime(),
    /** The compared deployments, each named by a build or by a URL without credentials. */
    native: z.string(),
    core: z.string(),
    /** Commit of the native code, with `-dirty` if files have changed since; null if unknown. */
    commit: z.string().nullable().default(null),
    rows: z.array(ComparedRow),
    comparisons: z.array(Comparison),
    /** The distinct masked requests and responses, which the comparisons' recordings refer to. */
    requests: z.array(RecordedRequest).default([]),
    responses: z.array(z.string()).default([]),
    /** What readers should know in addition to the comparisons. Absent in earlier versions' reports. */
    warnings: z.array(z.string()).default([]),
  })
  .refine(
    ({ rows, comparisons }) => {
      const known = new Set(rows.map(({ label }) => label))
      return comparisons.every(({ label }) => known.has(label))
    },
    { error: 'must have the label of a row', path: ['comparisons'] },
  )
  .refine(
    ({ comparisons }) =>
      comparisons.every(
        (found) => found.class === selectMostSevere(found.differences.map((each) => each.class)),
      ),
    { error: 'must have the most severe class of their differences', path: ['comparisons'] },
  )
  .refine(
    ({ comparisons, requests, responses }) =>
      comparisons.every(
        ({ recording }) =>
          recording === undefined ||
          (recording.request < requests.length &&
            recording.native.response < responses.length &&
            recording.core.response < responses.length),
      ),
    { error: 'must refer to requests and responses of this run', path: ['comparisons'] },
  )
export type ParityRun = z.infer<typeof ParityRun>
