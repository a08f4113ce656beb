import type { Label } from '#contracts/route-table.ts'
import { isLabel, isTwoSided } from '#contracts/shared/row.ts'
import type { Reader } from '#db/client/connection.ts'
import { listMismatches } from '#db/queries/evidence/mismatches.ts'
import type { RequestedChange } from '../control/change-route-state.ts'
import {
  readGateContext,
  readGateInput,
  type StoredComparisons,
  stateOf,
} from '../control/gate/read-gate-input.ts'
import { estimateAccounts } from '../model/gate/account-sample.ts'
import { explainShapes } from '../model/gate/coverage-checks.ts'
import { evaluateGate, type GateResult } from '../model/gate/evaluate-gate.ts'
import {
  describeFindings,
  explainComparisons,
  explainGate,
  explainMismatches,
  findGateObstacle,
  listGateWarnings,
} from '../model/gate/explain-gate.ts'
import { defaultGateLimits } from '../model/gate/gate-input.ts'
import { computeProgress, countMissingComparisons } from '../model/gate/sequential-test.ts'
import type { OperatorApiOptions } from './operator-options.ts'

const readInput = async (db: Reader, { evidenceKeys }: OperatorApiOptions, label: Label) => {
  const context = await readGateContext(db, label)
  const read = await readGateInput(db, context, label, evidenceKeys)
  return { state: stateOf(read.input, label), ...read }
}

/** Returns null for a route that only one side can serve. */
export const readGate = async (options: OperatorApiOptions, label: Label) => {
  if (!isTwoSided(label)) return null
  const inputs = await readInput(options.database.reader, options, label)
  return { ...inputs, gate: evaluateGate(inputs.input, options.gateLimits) }
}

const summarizeComparisons = (comparisons: StoredComparisons, { test }: typeof defaultGateLimits) => {
  const { sums, evidence } = comparisons
  const { comparisons: counted, regressions, hasFailed } = evidence.test
  return {
    ...sums,
    // The counts that the test used, as in the gate's checks. `sums` may be a few seconds newer.
    comparisons: counted,
    regressions,
    // The number of accounts, never their hashes.
    accounts: estimateAccounts(sums.accounts),
    alarm: evidence.alarm,
    test: {
      progress: computeProgress(evidence.test, test),
      missing: countMissingComparisons(evidence.test, test),
      hasFailed,
    },
  }
}

export const readGateEvidence = async (options: OperatorApiOptions, label: Label) => {
  const { database, gateLimits = defaultGateLimits } = options
  const [read, mismatches] = await Promise.all([
    readGate(options, label),
    listMismatches(database.reader, label),
  ])
  if (!read) return { gate: null, comparisons: null, mismatches: [], findings: [], sentences: [] }
  const { state, input, gate, comparisons } = read
  return {
    gate,
    comparisons: comparisons && summarizeComparisons(comparisons, gateLimits),
    mismatches,
    findings: describeFindings(input, state),
    sentences: [
      ...explainGate(gate, state.mode),
      ...(comparisons
        ? [
            ...explainComparisons(comparisons.sums, comparisons.evidence.test, gateLimits.test),
            ...explainShapes(label, comparisons.evidence, gateLimits),
          ]
        : []),
      ...explainMismatches(mismatches),
    ],
  }
}

const readGateOfStep = async (
  options: OperatorApiOptions,
  { scope, change }: RequestedChange,
): Promise<GateResult | null> => {
  if (change.kind !== 'ramp' || !isLabel(scope) || !isTwoSided(scope)) return null
  const { state, input } = await readInput(options.database.db, options, scope)
  if (input.evidenceKey === null || change.weightBp <= state.weightBp) return null
  return evaluateGate(input, options.gateLimits)
}

export const readGateWarnings = async (
  options: OperatorApiOptions,
  requested: RequestedChange,
): Promise<readonly string[]> => {
  const gate = await readGateOfStep(options, requested)
  return gate ? listGateWarnings(gate) : []
}

export const readGateObstacle = async (
  options: OperatorApiOptions,
  requested: RequestedChange,
): Promise<string | null> => {
  const gate = await readGateOfStep(options, requested)
  return gate && requested.change.kind === 'ramp' ? findGateObstacle(gate, requested.change.weightBp) : null
}
