import * as z from 'zod'
import { TimestampInput } from '#contracts/shared/primitives.ts'

const maxResults = 500
const Count = z.int().min(0).max(1_000_000)

/** A hash of the code that a result is about, as `migration/evidence-keys` computes it. */
const EvidenceKey = z.string().regex(/^[0-9a-f]{32}$/, 'must be 32 hex digits')

/** What a contract run found about one version of a route's code. */
const ContractResult = z.strictObject({
  // Accepts labels that this build lacks, because the run may be about code that is not deployed yet.
  label: z
    .string()
    .max(100)
    .regex(/^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+$/, 'must be a route label'),
  evidenceKey: EvidenceKey,
  /** Regressions, leaks and comparisons that were not possible, plus one if no success was compared. */
  problems: Count,
  /** Accepted differences that forbid promotion. */
  forbiddingDifferences: Count,
  /** When the first of the accepted differences that the run used expires; null if it used none. */
  validUntil: TimestampInput.nullable().default(null),
})

/** The results of one contract run. A post without results only shows whether the sender may post a run. */
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
