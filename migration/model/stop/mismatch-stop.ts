import { type CusumParameters, createCusumParameters, observe, type Rates } from './cusum.ts'
import type { CusumStream } from './stored-observations.ts'

/** Why comparisons stop a route: too many regressions, or one response with data that must never leave the service. */
export type MismatchCause = 'mismatches' | 'critical'

/** The fraction of comparisons with a confirmed regression, for good code and for bad code. */
const mismatchRates: Rates = { good: 0.0005, bad: 0.01 }

export const createMismatchParameters = (): CusumParameters => createCusumParameters(mismatchRates)

export interface ComparedResponses {
  readonly comparisons: number
  readonly regressions: number
  /** Comparisons with a leak, which needs no confirmation. */
  readonly critical: number
}

export const observeComparisons = (
  stream: CusumStream,
  parameters: CusumParameters,
  { comparisons, regressions, critical }: ComparedResponses,
): MismatchCause | null => {
  const hasAlarm = observe(stream, parameters, comparisons, regressions)
  if (critical > 0) return 'critical'
  return hasAlarm ? 'mismatches' : null
}
