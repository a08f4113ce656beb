import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { compareResponses } from '../diff/compare-responses.ts'
import { confirm, needsConfirmation } from '../diff/confirm.ts'
import type { Rules } from '../diff/judge.ts'
import { learnNoise, type Noise, noNoise } from '../diff/noise.ts'
import { isResponse, type Observation } from '../diff/recorded-response.ts'
import { createSignature, type Difference, selectGravest, type Verdict } from '../diff/verdict.ts'
import { type Comparison, toComparison } from '../report/parity-run.ts'
import type { Pair } from './pairs.ts'
import { asStored } from './read-stored.ts'

const contractOf = (label: Label): Contract => contracts[label]

export type NoiseByLabel = Map<Label, Noise>

const learnt = (noise: Noise, label: Label, first: Observation, again: Observation | undefined): Noise =>
  again !== undefined && isResponse(first) && isResponse(again)
    ? learnNoise(noise, contractOf(label), first, again)
    : noise

/**
 * What the core says of itself in these answers: to a read that it was asked twice, and to a write that a
 * scenario made it answer twice. Two writes may differ because each was of something else, so that they tell of
 * a steady core and never of noise.
 */
export const learnNoiseFrom = (noise: NoiseByLabel, pair: Pair, again?: Pair) => {
  const known = noise.get(pair.label) ?? noNoise
  if (pair.coreAgain !== undefined) {
    noise.set(pair.label, learnt(known, pair.label, pair.core, pair.coreAgain))
  } else if (pair.storedBy === undefined) {
    const after = learnt(known, pair.label, pair.core, again?.core)
    if (after.disagreements.size === known.disagreements.size) noise.set(pair.label, after)
  }
}

const regraded = (verdict: Verdict, differences: readonly Difference[]): Verdict => ({
  ...verdict,
  differences,
  class: selectGravest(differences.map((difference) => difference.class)),
})

const notAsMeant = (label: Label, status: number, expected: number): Difference => ({
  kind: 'status',
  path: 'status',
  class: 'not_comparable',
  blame: 'unknown',
  signature: createSignature(label, 'status', 'status'),
  count: 1,
  example: { path: 'status', native: String(status), core: String(status) },
  reason: `both sides answered ${status} where ${expected} was to be compared`,
})

// A scenario knows which of two statuses is documented for what it does.
const byExpectation = (verdict: Verdict, expected: number | undefined): Verdict => {
  const { label, native, core, differences } = verdict
  if (expected === undefined || native === null || core === null) return verdict
  if (native === core) {
    return native === expected
      ? verdict
      : regraded(verdict, [...differences, notAsMeant(label, native, expected)])
  }
  const blame = core !== expected ? (native === expected ? 'core' : 'both') : 'native'
  return regraded(
    verdict,
    differences.map((difference) => (difference.kind === 'status' ? { ...difference, blame } : difference)),
  )
}

// Both sides were read through the core on purpose: it is what they stored that is compared. Whether the core lets its
// answers be stored is its own affair.
const asReadBack = (observation: Observation): Observation => {
  if (!isResponse(observation)) return observation
  const { 'x-service-core-runtime': _, ...headers } = observation.headers
  return { ...observation, headers: { ...headers, 'cache-control': 'no-store' } }
}

const judgeOnce = (pair: Pair, rules: Rules, noise: NoiseByLabel): Verdict => {
  const known = noise.get(pair.label)
  const [native, core] =
    pair.storedBy === undefined ? [pair.native, pair.core] : [asReadBack(pair.native), asReadBack(pair.core)]
  const verdict = compareResponses(contractOf(pair.label), native, core, {
    ...rules,
    ofOneState: pair.ofOneState ?? false,
    ...(known === undefined ? {} : { noise: known }),
  })
  return byExpectation(verdict, pair.expected)
}

/** Whether a difference is grave enough to be looked at twice. */
export const isUncertain = (pair: Pair, rules: Rules, noise: NoiseByLabel) =>
  needsConfirmation(judgeOnce(pair, rules, noise))

/** The verdict on a pair, and on what the same scenario brought when it was played again. */
export const judgePair = (
  pair: Pair,
  again: Pair | undefined,
  rules: Rules,
  noise: NoiseByLabel,
): Verdict => {
  const first = judgeOnce(pair, rules, noise)
  return again === undefined ? first : confirm(first, judgeOnce(again, rules, noise))
}

export const createComparison = (pair: Pair, verdict: Verdict): Comparison =>
  toComparison(pair.scenario, pair.storedBy === undefined ? verdict : asStored(verdict, pair.storedBy))
