import * as z from 'zod'
import { blames, differenceClasses, differenceKinds, selectGravest, type Verdict } from '../diff/verdict.ts'

const Status = z.int().min(100).max(599)

/** One kind of difference at one place, as a verdict names it. */
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
  forbidsPromotion: z.literal(true).optional(),
})
export type ReportedDifference = z.infer<typeof ReportedDifference>

/** What was made of one request that both sides were asked. */
const Comparison = z.strictObject({
  label: z.string(),
  /** What was asked, in words that a person tells it by. */
  scenario: z.string(),
  native: Status.nullable(),
  core: Status.nullable(),
  class: z.enum(differenceClasses),
  differences: z.array(ReportedDifference),
})
export type Comparison = z.infer<typeof Comparison>

/** A route that is to be compared, with the statuses its contract documents. */
const ComparedRow = z.strictObject({
  label: z.string(),
  method: z.string(),
  path: z.string(),
  statuses: z.array(Status),
})
export type ComparedRow = z.infer<typeof ComparedRow>

/** What a report keeps of a verdict; `scenario` says what was asked. */
export const toComparison = (scenario: string, { label, native, core, ...verdict }: Verdict): Comparison => ({
  label,
  scenario,
  native,
  core,
  class: verdict.class,
  differences: [...verdict.differences],
})

/** All that a run saw: everything a report says follows from it. */
export const ParityRun = z
  .strictObject({
    startedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime(),
    /** What was compared with what, in words: a build, an address without its credentials. */
    native: z.string(),
    core: z.string(),
    rows: z.array(ComparedRow),
    comparisons: z.array(Comparison),
  })
  .refine(
    ({ rows, comparisons }) => {
      const known = new Set(rows.map(({ label }) => label))
      return comparisons.every(({ label }) => known.has(label))
    },
    { error: 'must be of a row', path: ['comparisons'] },
  )
  .refine(
    ({ comparisons }) =>
      comparisons.every(
        (found) => found.class === selectGravest(found.differences.map((each) => each.class)),
      ),
    { error: 'must have the gravest class of their differences', path: ['comparisons'] },
  )
export type ParityRun = z.infer<typeof ParityRun>
