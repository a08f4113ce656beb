import type { Label } from '#contracts/route-table.ts'
import { isLabel } from '#contracts/shared/row.ts'
import { listMismatches } from '#db/queries/mismatches.ts'
import { estimateAccounts } from '#migration/routing/gate/account-sample.ts'
import { evaluateGate, type GateResult } from '#migration/routing/gate/evaluate-gate.ts'
import {
  explainComparisons,
  explainGate,
  explainMismatches,
  listGateWarnings,
} from '#migration/routing/gate/explain-gate.ts'
import { defaultGateLimits } from '#migration/routing/gate/gate-input.ts'
import { computeProgress, countMissingComparisons } from '#migration/routing/gate/sequential-test.ts'
import { isTwoSided } from '#migration/routing/route-scope.ts'
import type { RequestedChange } from '../routing/change-route-state.ts'
import type { StoredComparisons } from '../routing/gate/comparison-evidence.ts'
import { readGateContext, readGateInput, stateOf } from '../routing/gate/read-gate-input.ts'
import type { OperatorApiOptions } from './operator-options.ts'

const readInput = async ({ database: { reader }, evidenceKeys }: OperatorApiOptions, label: Label) => {
  const context = await readGateContext(reader)
  return { state: stateOf(context, label), ...(await readGateInput(reader, context, label, evidenceKeys)) }
}

/** The next step of a route and its clauses; null for a route that only native can serve. */
export const readGateOfRoute = async (
  options: OperatorApiOptions,
  label: Label,
): Promise<GateResult | null> => {
  if (!isTwoSided(label)) return null
  const { input } = await readInput(options, label)
  return evaluateGate(input, options.gateLimits)
}

const summarizeComparisons = (comparisons: StoredComparisons, { test }: typeof defaultGateLimits) => {
  const { sums, evidence } = comparisons
  const { hasFailed } = evidence.test
  return {
    ...sums,
    // Not their hashes.
    accounts: estimateAccounts(sums.accounts),
    alarm: evidence.alarm,
    test: {
      progress: computeProgress(evidence.test, test),
      missing: countMissingComparisons(evidence.test, test),
      hasFailed,
    },
  }
}

/** The gate of a route, what comparisons of the code of this instance have found, and the differences with masked values. */
export const readGateEvidence = async (options: OperatorApiOptions, label: Label) => {
  if (!isTwoSided(label)) return { gate: null, comparisons: null, mismatches: [], sentences: [] }
  const { gateLimits = defaultGateLimits } = options
  const { state, input, comparisons } = await readInput(options, label)
  const gate = evaluateGate(input, gateLimits)
  const mismatches = await listMismatches(options.database.reader, label)
  return {
    gate,
    comparisons: comparisons && summarizeComparisons(comparisons, gateLimits),
    mismatches,
    sentences: [
      ...explainGate(gate, state.mode),
      ...(comparisons
        ? explainComparisons(comparisons.sums, comparisons.evidence.test, gateLimits.test)
        : []),
      ...explainMismatches(mismatches),
    ],
  }
}

/**
 * What a person should know who serves more of a route natively: the clauses that do not hold, which the person waives if
 * it is the next step.
 */
export const readGateWarnings = async (
  options: OperatorApiOptions,
  { scope, change, who, reason }: RequestedChange,
): Promise<readonly string[]> => {
  if (change.kind !== 'ramp' || !isLabel(scope) || !isTwoSided(scope)) return []
  const { state, input } = await readInput(options, scope)
  const { evidenceKey } = input
  if (evidenceKey === null || change.weightBp <= state.weightBp) return []
  const waiver = { operator: who, reason, evidenceKey, weightBp: change.weightBp }
  return listGateWarnings(evaluateGate({ ...input, waiver }, options.gateLimits))
}
