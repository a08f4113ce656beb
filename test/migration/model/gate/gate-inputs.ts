import type { Label } from '#contracts/route-table.ts'
import { hashAccount, mergeAccountSamples } from '#migration/model/gate/account-sample.ts'
import type { CheckId } from '#migration/model/gate/check.ts'
import { evaluateGate } from '#migration/model/gate/evaluate-gate.ts'
import {
  type ComparisonEvidence,
  defaultGateLimits,
  type GateInput,
  type StepEvidence,
} from '#migration/model/gate/gate-input.ts'
import { addComparisons, createSequentialTestState } from '#migration/model/gate/sequential-test.ts'
import { initialStateOf, type RouteState } from '#migration/model/route-state.ts'

export const evidenceKey = 'key-of-this-code'
export const now = Date.UTC(2027, 0, 15)

const hashes = Array.from({ length: 64 }, (_, index) => hashAccount('secret', `acct_${index}`))

/** A sample of this many accounts, up to 64. */
export const accountsOf = (count: number) => mergeAccountSamples([hashes.slice(0, count)])

export const testAfter = (comparisons: number, regressions = 0) =>
  addComparisons(createSequentialTestState(), defaultGateLimits.test, comparisons, regressions)

export const goodComparisons: ComparisonEvidence = {
  evidenceKey,
  test: testAfter(664),
  firstAt: now - 60 * 60_000,
  coreRequestsPerDay: 14_000,
  comparisonsPerMinute: 3,
  transients: 2,
  copies: 800,
  drops: 10,
  statuses: [
    { status: 200, responses: 90_000, comparisons: 600 },
    { status: 404, responses: 10_000, comparisons: 64 },
  ],
  shapes: [
    { shape: 'body.records many', responses: 80_000, comparisons: 500 },
    { shape: 'body.records empty', responses: 10_000, comparisons: 100 },
  ],
  accounts: accountsOf(50),
  activeAccounts: accountsOf(50),
  alarm: null,
  mainDifference: null,
}

export const goodStep: StepEvidence = {
  evidenceKey,
  startedAt: now - 30 * 60_000,
  nativeRequests: 300,
  nativeRequestsPerMinute: 10,
  alarm: null,
}

export const stateOf = (label: Label, changes: Partial<RouteState> = {}): RouteState => ({
  ...initialStateOf(label),
  stage: 'shadow',
  weightBp: 0,
  evidenceKey,
  mode: 'auto',
  ...changes,
})

export const canaryOf = (label: Label, weightBp: number, changes: Partial<RouteState> = {}) =>
  stateOf(label, { stage: 'canary', weightBp, ...changes })

export const createGateInput = (state: RouteState, changes: Partial<GateInput> = {}): GateInput => ({
  label: state.scope as Label,
  states: new Map([[state.scope, state]]),
  evidenceKey,
  instances: { live: 3, onKey: 3 },
  contract: { evidenceKey, problems: 0, forbiddingDifferences: 0, validUntil: null },
  comparisons: goodComparisons,
  step: goodStep,
  now,
  ...changes,
})

export const findCheck = (input: GateInput, id: CheckId) =>
  evaluateGate(input).checks.find((check) => check.id === id)
