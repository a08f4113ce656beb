import * as z from 'zod'
import { TimestampInput } from '#contracts/shared/primitives.ts'

const maxResults = 500
const Count = z.int().min(0).max(1_000_000)

/** Hash of the code that a result is about, as computed by `migration/parity/evidence`. */
export const EvidenceKey = z.string().regex(/^[0-9a-f]{32}$/, 'must be 32 hex digits')

/** What a contract run found about one code of one route. */
const ContractResult = z.strictObject({
  // Not only this build's labels: the run may be of code not deployed yet.
  label: z
    .string()
    .max(100)
    .regex(/^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+$/, 'must be a route label'),
  evidenceKey: EvidenceKey,
  /** Regressions, leaks and comparisons that were not possible; one more if no success was compared. */
  problems: Count,
  /** Accepted differences that forbid promotion. */
  forbiddingDifferences: Count,
  /** When the first accepted difference used by the run expires; null if it used none. */
  validUntil: TimestampInput.nullable().default(null),
})

/** The results of one contract run. Without results, the response shows whether a run may be posted. */
export const ContractReport = z.strictObject({
  finishedAt: TimestampInput,
  results: z
    .array(ContractResult)
    .max(maxResults)
    .refine((results) => new Set(results.map(({ label }) => label)).size === results.length, {
      error: 'must have one result for each label',
    }),
})
export type ContractReport = z.infer<typeof ContractReport>
