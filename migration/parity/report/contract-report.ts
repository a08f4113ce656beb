import * as z from 'zod'
import { TimestampInput } from '#contracts/shared/primitives.ts'

const maxResults = 500
const Count = z.int().min(0).max(1_000_000)

/** A hash of the code that a result is about, as `migration/evidence-keys` computes it. */
const EvidenceKey = z.string().regex(/^[0-9a-f]{32}$/, 'must be 32 hex digits')

const ReportedResult = z.strictObject({
  // Accepts labels that this build lacks, because the run may be about code that is not deployed yet.
  label: z
    .string()
    .max(100)
    .regex(/^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+$/, 'must be a route label'),
  evidenceKey: EvidenceKey,
  /**
   * How many comparisons found a regression or a leak, or were not possible. One is added if no success was compared.
   */
  problems: Count,
  forbiddingDifferences: Count,
  /** The earliest expiry among the accepted differences that the run used; null if it used none. */
  validUntil: TimestampInput.nullable().default(null),
})

/** The results of one contract run. A report without results only checks whether its sender may post one. */
export const ContractReport = z.strictObject({
  finishedAt: TimestampInput,
  results: z
    .array(ReportedResult)
    .max(maxResults)
    .refine((results) => new Set(results.map(({ label }) => label)).size === results.length, {
      error: 'must have at most one result per label',
    }),
})
export type ContractReport = z.infer<typeof ContractReport>
