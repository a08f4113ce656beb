import * as z from 'zod'
import { AccountSample, mergeAccountSamples } from './account-sample.ts'

const count = z.int().nonnegative()

export const ComparisonSums = z.object({
  /** Independent comparisons. `regressions` counts those with a confirmed regression or a leak. */
  comparisons: count,
  regressions: count,
  /** Responses with a leak, even in comparisons that are not independent. */
  critical: count,
  /** Comparisons with differences only in places where the core's own responses differ too. */
  transients: count,
  notComparable: count,
  repeated: count,
  copies: count,
  drops: count,
  statuses: z.record(z.string(), count),
  /**
   * Numbers of comparisons, by each shape of the request and of the core's response. Older releases did not store them.
   */
  shapes: z.record(z.string(), count).default({}),
  accounts: AccountSample.readonly(),
})
export type ComparisonSums = Readonly<z.infer<typeof ComparisonSums>>

export const addCounts = (all: readonly Readonly<Record<string, number>>[]): Record<string, number> => {
  const sums: Record<string, number> = {}
  for (const counts of all)
    for (const [key, responses] of Object.entries(counts)) sums[key] = (sums[key] ?? 0) + responses
  return sums
}

export const addComparisonSums = (all: readonly ComparisonSums[]): ComparisonSums => {
  const sum = (countOf: (sums: ComparisonSums) => number) =>
    all.reduce((total, sums) => total + countOf(sums), 0)
  return {
    comparisons: sum(({ comparisons }) => comparisons),
    regressions: sum(({ regressions }) => regressions),
    critical: sum(({ critical }) => critical),
    transients: sum(({ transients }) => transients),
    notComparable: sum(({ notComparable }) => notComparable),
    repeated: sum(({ repeated }) => repeated),
    copies: sum(({ copies }) => copies),
    drops: sum(({ drops }) => drops),
    statuses: addCounts(all.map(({ statuses }) => statuses)),
    shapes: addCounts(all.map(({ shapes }) => shapes)),
    accounts: mergeAccountSamples(all.map(({ accounts }) => accounts)),
  }
}

export const noComparisonSums = addComparisonSums([])
