import type { Label } from '#contracts/route-table.ts'
import type { TimeComparison } from '../../diff/compare-generated.ts'
import { compareResponses, ignoreOwnHeaders } from '../../diff/compare-responses.ts'
import { confirm, needsConfirmation } from '../../diff/confirm.ts'
import { contractOf } from '../../diff/contract-of-response.ts'
import { tooManyRequests } from '../../diff/incomparable.ts'
import type { Rules } from '../../diff/judge.ts'
import { learnNoise, type Noise, unknownNoise } from '../../diff/noise.ts'
import { isResponse, type Observation, readErrorCode } from '../../diff/recorded-response.ts'
import {
  attributeTo,
  createDifference,
  type Difference,
  isRegression,
  selectMostSevere,
  type Verdict,
} from '../../diff/verdict.ts'
import { type Comparison, toComparison } from '../report/parity-run.ts'
import type { Pair } from './pairs.ts'
import type { Recorder } from './recorder.ts'

const limits: Readonly<Record<string, string>> = {
  entitlement_required: 'lacks the entitlement or has reached the limit of its plan',
  quota_exceeded: 'has reached a quota',
  library_name_conflict: 'already has a library with this name',
}

const findLimit = (observation: Observation, expected: number | undefined) => {
  if (!isResponse(observation) || observation.status === expected) return null
  const code = readErrorCode(observation.body)
  return code === null ? null : (limits[code] ?? null)
}

/**
 * A pair cannot be compared if only one side refused the request, because of data that the account already had on that
 * side. Returns the reason for such a refusal; `null` if there was none. `expected` is the scenario's expected status.
 */
const findAccountLimit = (
  native: Observation,
  core: Observation,
  expected: number | undefined,
): string | null => {
  const [onNative, onCore] = [findLimit(native, expected), findLimit(core, expected)]
  if ((onNative === null) === (onCore === null)) return null
  return onNative === null
    ? `the account ${onCore} on the core side only`
    : `the account ${onNative} on the native side only`
}

export type NoiseByLabel = Map<Label, Noise>

/**
 * Updates a route's noise from two core responses: a repeated read, or the same scenario run twice. Two runs of a write
 * create different data, so they can show that the core is deterministic but not that it is noisy.
 */
export const learnNoiseFrom = (
  noise: NoiseByLabel,
  { label, core, coreRepeat, writtenBy }: Pair,
  repeat?: Pair,
) => {
  const known = noise.get(label) ?? unknownNoise
  const learn = (other: Observation | undefined, times: TimeComparison) =>
    other !== undefined && isResponse(core) && isResponse(other)
      ? learnNoise(known, contractOf(label), core, other, times)
      : known
  if (coreRepeat !== undefined) noise.set(label, learn(coreRepeat, 'equal'))
  else if (writtenBy === undefined) {
    const after = learn(repeat?.core, 'near')
    if (after.disagreements.size === known.disagreements.size) noise.set(label, after)
  }
}

const replaceDifferences = (verdict: Verdict, differences: readonly Difference[]): Verdict => ({
  ...verdict,
  differences,
  class: selectMostSevere(differences.map((difference) => difference.class)),
})

const formatStatus = (status: number | null) => (status === null ? null : String(status))

const createStatusDifference = (
  { label, native, core }: Verdict,
  judgement: Pick<Difference, 'class' | 'blame' | 'reason'>,
) =>
  createDifference(label, {
    kind: 'status',
    path: 'status',
    native: formatStatus(native),
    core: formatStatus(core),
    ...judgement,
  })

const createIncomparableStatus = (verdict: Verdict, reason: string) =>
  createStatusDifference(verdict, { class: 'not_comparable', blame: 'unknown', reason })

// If the statuses differ, the scenario's expected status decides which side is wrong.
const applyExpectedStatus = (verdict: Verdict, expected: number | undefined): Verdict => {
  const { native, core, differences } = verdict
  if (expected === undefined || native === null || core === null) return verdict
  if (native === core) {
    const reason = `both sides returned ${native}, but the scenario expects ${expected}`
    return native === expected
      ? verdict
      : replaceDifferences(verdict, [...differences, createIncomparableStatus(verdict, reason)])
  }
  const blame = core !== expected ? (native === expected ? 'core' : 'both') : 'native'
  // A rate limit that only one side has reached proves nothing, unless the scenario expects it.
  if (expected === tooManyRequests && core === expected)
    return replaceDifferences(verdict, [
      createStatusDifference(verdict, { class: 'regression', blame: 'native' }),
    ])
  return replaceDifferences(
    verdict,
    differences.map((difference) => (difference.kind === 'status' ? { ...difference, blame } : difference)),
  )
}

const comparePair = (pair: Pair, rules: Rules, noise: NoiseByLabel): Verdict => {
  const known = noise.get(pair.label)
  const [native, core] =
    pair.writtenBy === undefined
      ? [pair.native, pair.core]
      : // A read-back compares stored data, and both sides may read it through the core.
        [ignoreOwnHeaders(pair.native), ignoreOwnHeaders(pair.core)]
  const verdict = compareResponses(pair.label, native, core, {
    ...rules,
    scenario: pair.scenario,
    isSameState: pair.isSameState ?? false,
    times: pair.isSameState ? 'equal' : 'near',
    ...(known === undefined ? {} : { noise: known }),
  })
  const limit = pair.usesGivenAccounts ? findAccountLimit(pair.native, pair.core, pair.expected) : null
  return limit === null
    ? applyExpectedStatus(verdict, pair.expected)
    : replaceDifferences(verdict, [createIncomparableStatus(verdict, limit)])
}

export const isUncertain = (pair: Pair, rules: Rules, noise: NoiseByLabel) =>
  needsConfirmation(comparePair(pair, rules, noise))

export const judgePair = (
  pair: Pair,
  repeat: Pair | undefined,
  rules: Rules,
  noise: NoiseByLabel,
): Verdict => {
  const first = comparePair(pair, rules, noise)
  return repeat === undefined ? first : confirm(first, comparePair(repeat, rules, noise))
}

const commonPrefix = (paths: readonly string[]) => {
  const [first = [], ...others] = paths.map((path) => path.split('.'))
  const end = first.findIndex((name, index) => others.some((other) => other[index] !== name))
  return first.slice(0, end === -1 ? first.length : end).join('.')
}

const onlyValue = <T>(values: readonly T[]) => (new Set(values).size === 1 ? values[0] : undefined)

// Merges the differences, because a single lost change shows in every field that it would have changed.
const mergeDifferences = (differences: readonly Difference[]): readonly Difference[] => {
  const [first, ...others] = differences
  if (first === undefined || others.length === 0) return differences
  const paths = differences.map(({ path }) => path)
  return [
    {
      ...first,
      kind: onlyValue(differences.map(({ kind }) => kind)) ?? 'value',
      // The paths have no common prefix if both the headers and the body differ.
      path: commonPrefix(paths) || 'response',
      blame: onlyValue(differences.map(({ blame }) => blame)) ?? 'unknown',
      count: differences.reduce((sum, { count }) => sum + count, 0),
      reason: `differs at ${paths.join(', ')}`,
    },
  ]
}

/**
 * Attributes a read-back's differences to the write. Merges the regressions into one difference, and removes the
 * statuses, because they belong to the read.
 */
const attributeToWrite = (verdict: Verdict, write: Label): Verdict => {
  const differences = [
    ...mergeDifferences(verdict.differences.filter(isRegression)),
    ...verdict.differences.filter((difference) => !isRegression(difference)),
  ]
  return {
    ...verdict,
    label: write,
    native: null,
    core: null,
    differences: differences.map((difference) => attributeTo(write, verdict.label, difference)),
  }
}

export const recordComparison = (pair: Pair, verdict: Verdict, recorder: Recorder): Comparison =>
  toComparison(
    pair.scenario,
    pair.writtenBy === undefined ? verdict : attributeToWrite(verdict, pair.writtenBy),
    recorder.record(pair),
  )
