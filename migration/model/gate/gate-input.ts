import type { Label } from '#contracts/route-table.ts'
import type { RouteScope } from '../route-scope.ts'
import { fullWeightBp, type RouteState } from '../route-state.ts'
import type { StopCause } from '../stop/alarm.ts'
import type { AccountSample } from './account-sample.ts'
import type { MismatchCause } from './evidence-set.ts'
import { type SequentialTestState, sequentialTest } from './sequential-test.ts'

/** What a step requires. Durations are shorter in tests that compress time. */
export const defaultGateLimits = {
  test: sequentialTest,
  minComparisonsPerStatus: 5,
  minComparisonsPerShape: 3,
  /**
   * How many accounts (or share links) must be compared. If fewer use the route, all of them must be. With a lower
   * limit, faults that affect whole accounts would be missed too often (dev/bench/results/evidence.md).
   */
  minAccounts: 64,
  maxTransientFraction: 0.05,
  maxDropFraction: 0.2,
  /** How long native serves one percentage before it may serve a larger one. */
  minStepMs: 30 * 60_000,
  minNativeRequests: 300,
  /** Requirements for a route with too little traffic to meet the others in reasonable time. */
  quiet: {
    /** How long a quiet route is compared. A quiet route has too few requests to pass the test in this time. */
    compareMs: 14 * 86_400_000,
    minComparisons: 20,
    /** How long native has to serve a percentage if too few requests arrive. */
    maxStepMs: 3 * 86_400_000,
  },
  /** A ramp's percentages in basis points, ascending. The last one is 100 %. */
  weightsBp: [100, 500, 2500, 5000, fullWeightBp],
}
export type GateLimits = typeof defaultGateLimits

export interface ContractResult {
  readonly evidenceKey: string
  /**
   * The number of regressions, leaks and requests that could not be compared, plus one if no successful response was
   * compared.
   */
  readonly problems: number
  readonly forbiddingDifferences: number
  /** When the first of the run's accepted differences expires, in Unix milliseconds; null if none does. */
  readonly validUntil: number | null
}

/** A status that the core returned in the last seven days to requests that both sides can serve. */
export interface StatusCoverage {
  readonly status: number
  readonly responses: number
  readonly comparisons: number
}

interface ShapeCoverage {
  readonly shape: string
  readonly responses: number
  readonly comparisons: number
}

export interface ComparisonEvidence {
  readonly evidenceKey: string
  readonly test: SequentialTestState
  /** When the first comparison was counted, in Unix milliseconds. */
  readonly firstAt: number
  /** Core responses per day, averaged over the last seven days. */
  readonly coreRequestsPerDay: number
  readonly comparisonsPerMinute: number
  readonly transients: number
  /** Copied responses. `drops` counts those that were dropped before comparison. */
  readonly copies: number
  readonly drops: number
  readonly statuses: readonly StatusCoverage[]
  readonly shapes: readonly ShapeCoverage[]
  /** `activeAccounts` are the accounts that used the route in the last seven days. */
  readonly accounts: AccountSample
  readonly activeAccounts: AccountSample
  readonly alarm: MismatchCause | null
  /** The most frequent leak or regression; null if no difference is stored. */
  readonly mainDifference: { readonly kind: string; readonly path: string } | null
}

/** What native has served since the route's state or code last changed. */
export interface StepEvidence {
  readonly evidenceKey: string
  /** Unix time in milliseconds. */
  readonly startedAt: number
  readonly nativeRequests: number
  readonly nativeRequestsPerMinute: number
  readonly alarm: StopCause | MismatchCause | null
}

/** Evidence that is null is missing, which blocks the step. */
export interface GateInput {
  readonly label: Label
  readonly states: ReadonlyMap<RouteScope, RouteState>
  readonly evidenceKey: string | null
  readonly instances: { readonly live: number; readonly onKey: number }
  readonly contract: ContractResult | null
  readonly comparisons: ComparisonEvidence | null
  readonly step: StepEvidence | null
  /** Unix time in milliseconds. */
  readonly now: number
}
