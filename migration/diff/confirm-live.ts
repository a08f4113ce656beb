import type { Label } from '#contracts/route-table.ts'
import { findDifferences } from './find-differences.ts'
import { isUnder, type Rules } from './judge.ts'
import { contractOf, ignoreOwnHeaders, judgeResponses } from './judge-responses.ts'
import type { RecordedResponse } from './recorded-response.ts'
import { type Difference, isLeak, isRegression, type Verdict } from './verdict.ts'

// If the number or order of a list's elements changes, the list itself and everything in it is affected too.
const isAffected = (path: string, changed: string) =>
  changed === 'status' || isUnder(path, changed) || changed === `${path}.*`

/**
 * Returns native's differences from both core responses, in places where the core responses agree. A leak always
 * persists, because nothing that the core returns can justify it. `changed` lists the paths where the core responses
 * differ.
 */
export const selectPersistent = (
  toBefore: Verdict,
  toAfter: Verdict,
  changed: readonly string[],
): readonly Difference[] => {
  const signatures = new Set(toBefore.differences.filter(isRegression).map(({ signature }) => signature))
  return toAfter.differences.filter(
    (difference) =>
      isLeak(difference) ||
      (isRegression(difference) &&
        signatures.has(difference.signature) &&
        !changed.some((other) => isAffected(difference.path, other))),
  )
}

const findChanges = (label: Label, before: RecordedResponse, after: RecordedResponse) =>
  findDifferences(contractOf(label), ignoreOwnHeaders(after), ignoreOwnHeaders(before), false, true).map(
    ({ location }) => location.path,
  )

/** The differences in native's first response, and the core response that came before it. */
export interface FirstComparison<R> {
  readonly core: R
  readonly differences: readonly Difference[]
}

/** The core's responses to the repeated request, one before native's and one after it. */
export interface ConfirmingResponses {
  readonly before: RecordedResponse
  readonly after: RecordedResponse
  /** Null if native was asked before the core, because the data may have changed in between. */
  readonly first: FirstComparison<RecordedResponse> | null
}

/**
 * Returns the differences in native's first or repeated response, at places where the core's responses agree. A
 * difference in one of the two is enough, because a fault may be random.
 */
export const confirmAgainstCore = (
  label: Label,
  native: RecordedResponse,
  { before, after, first }: ConfirmingResponses,
  rules: Rules,
): readonly Difference[] => {
  const changed = findChanges(label, before, after)
  const persistent = selectPersistent(
    judgeResponses(label, native, before, rules),
    judgeResponses(label, native, after, rules),
    changed,
  )
  if (first === null) return persistent
  const changedSince = [
    ...changed,
    ...[before, after].flatMap((core) => findChanges(label, first.core, core)),
  ]
  const repeated = new Set(persistent.map(({ signature }) => signature))
  const once = first.differences.filter(
    ({ signature, path }) =>
      !repeated.has(signature) && !changedSince.some((other) => isAffected(path, other)),
  )
  return [...persistent, ...once]
}
