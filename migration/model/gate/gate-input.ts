import type { Label } from '#contracts/route-table.ts'
import type { RouteScope } from '../route-scope.ts'
import { fullWeightBp, type RouteState } from '../route-state.ts'
import type { StopCause } from '../stop/stop-rates.ts'
import type { AccountSample } from './account-sample.ts'
import type { MismatchCause } from './mismatch-stop.ts'
import { createSequentialTest, type SequentialTest, type SequentialTestState } from './sequential-test.ts'

/** What a step requires. Tests that compress time have shorter durations. */
export interface GateLimits {
  readonly test: SequentialTest
  readonly minComparisonsPerStatus: number
  readonly minComparisonsPerShape: number
  /** How many accounts, or share links, have to be compared; all that use the route if there are fewer. */
  readonly minAccounts: number
  readonly maxTransientFraction: number
  readonly maxDropFraction: number
  /** How long native serves a percentage before it serves a larger one. */
  readonly minStepMs: number
  readonly minNativeRequests: number
  /** What is required of a route whose traffic cannot meet the rest in reasonable time. */
  readonly quiet: {
    /** How long it is compared. A route is quiet if it has too few requests to pass the test in this time. */
    readonly compareMs: number
    readonly minComparisons: number
    /** How long a percentage lasts at most, if there are too few requests in this time. */
    readonly maxStepMs: number
  }
  /** The percentages that a route is moved through, in basis points and ascending order; the last one is all. */
  readonly weightsBp: readonly number[]
}

export const defaultGateLimits: GateLimits = {
  test: createSequentialTest(),
  minComparisonsPerStatus: 5,
  minComparisonsPerShape: 3,
  // With fewer, faults of whole accounts pass too often: dev/bench/results/evidence.md.
  minAccounts: 64,
  maxTransientFraction: 0.05,
  maxDropFraction: 0.2,
  minStepMs: 30 * 60_000,
  minNativeRequests: 300,
  quiet: { compareMs: 14 * 86_400_000, minComparisons: 20, maxStepMs: 3 * 86_400_000 },
  weightsBp: [100, 500, 2500, 5000, fullWeightBp],
}

/** The last contract run of a route. */
export interface ContractResult {
  readonly evidenceKey: string
  /** Regressions, leaks and comparisons that were not possible; one more if no success was compared. */
  readonly problems: number
  /** Accepted differences that forbid promotion. */
  readonly forbiddingDifferences: number
  /** When the first accepted difference that it has used expires, in milliseconds since the epoch of Unix; null: never. */
  readonly validUntil: number | null
}

/** A status that the core has returned in the last seven days, with a request that both sides can serve. */
export interface StatusCoverage {
  readonly status: number
  readonly responses: number
  /** Comparisons of this status with the code of the evidence key. */
  readonly comparisons: number
}

/** What requests, or responses of the core, have had in the last seven days of what the contract distinguishes. */
interface ShapeCoverage {
  readonly shape: string
  readonly responses: number
  readonly comparisons: number
}

/** What the comparisons of live traffic have found about the code of one evidence key. */
export interface ComparisonEvidence {
  readonly evidenceKey: string
  readonly test: SequentialTestState
  /** When the first was counted, in milliseconds since the epoch of Unix. */
  readonly firstAt: number
  /** Responses of the core, by those of the last seven days. */
  readonly coreRequestsPerDay: number
  /** Independent comparisons at present. */
  readonly comparisonsPerMinute: number
  /** Those of the comparisons that found a difference only where the core disagreed with itself. */
  readonly transients: number
  /** Copies of responses, and those that were dropped before they could be compared. */
  readonly copies: number
  readonly drops: number
  readonly statuses: readonly StatusCoverage[]
  readonly shapes: readonly ShapeCoverage[]
  /** The accounts of these comparisons, and those that have used the route in the last seven days. */
  readonly accounts: AccountSample
  readonly activeAccounts: AccountSample
  readonly alarm: MismatchCause | null
  /** Where the responses differ: the leak or regression that was found most often; null if none is stored. */
  readonly mainDifference: { readonly kind: string; readonly path: string } | null
}

/** What native has served of a route since the last change of its state or of its code. */
export interface StepEvidence {
  readonly evidenceKey: string
  /** Milliseconds since the epoch of Unix. */
  readonly startedAt: number
  readonly nativeRequests: number
  readonly nativeRequestsPerMinute: number
  readonly alarm: StopCause | MismatchCause | null
}

/** A person has decided on one step of one code whatever its evidence is. */
interface Waiver {
  readonly operator: string
  readonly reason: string
  readonly evidenceKey: string
  readonly weightBp: number
}

/** What a promotion of one two-sided route is decided on. Null is missing evidence, which blocks the step. */
export interface GateInput {
  readonly label: Label
  readonly states: ReadonlyMap<RouteScope, RouteState>
  /** The key of the code that would serve the route; null if this build has no handler for it. */
  readonly evidenceKey: string | null
  readonly instances: { readonly live: number; readonly onKey: number }
  readonly contract: ContractResult | null
  readonly comparisons: ComparisonEvidence | null
  readonly step: StepEvidence | null
  readonly waiver: Waiver | null
  /** Milliseconds since the epoch of Unix. */
  readonly now: number
}
