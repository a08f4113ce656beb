import type { Label } from '#contracts/route-table.ts'
import { findDifferences } from '../../parity/diff/find-differences.ts'
import type { Rules } from '../../parity/diff/judge.ts'
import type { RecordedResponse } from '../../parity/diff/recorded-response.ts'
import type { Difference, Verdict } from '../../parity/diff/verdict.ts'
import { contractOf, ignoreOwnHeaders, judgeResponses } from './judge-responses.ts'

const isUnder = (path: string, ancestor: string) => path === ancestor || path.startsWith(`${ancestor}.`)

// If the number or order of elements changes, paths with an index and whole lists are affected too.
const isAffected = (path: string, changed: string) =>
  changed === 'status' || isUnder(path, changed) || changed === `${path}.*`

/**
 * Returns the differences from both core responses, in places where these agree. A leak always persists, because
 * nothing the core returns justifies it. `changed` are the paths where the core responses differ.
 */
export const selectPersistent = (
  toBefore: Verdict,
  toAfter: Verdict,
  changed: readonly string[],
): readonly Difference[] => {
  const signatures = new Set(
    toBefore.differences
      .filter(({ class: differenceClass }) => differenceClass === 'regression')
      .map(({ signature }) => signature),
  )
  return toAfter.differences.filter(
    ({ class: differenceClass, signature, path }) =>
      differenceClass === 'critical' ||
      (differenceClass === 'regression' &&
        signatures.has(signature) &&
        !changed.some((other) => isAffected(path, other))),
  )
}

const findChanges = (label: Label, before: RecordedResponse, after: RecordedResponse) =>
  findDifferences(contractOf(label), ignoreOwnHeaders(after), ignoreOwnHeaders(before), false, true).map(
    ({ location }) => location.path,
  )

/** Where native's first response differed, and the core response before it. */
export interface FirstComparison<R> {
  readonly core: R
  readonly differences: readonly Difference[]
}

/** The core's responses to the repeated request, before and after native's. */
export interface ConfirmingResponses {
  readonly before: RecordedResponse
  readonly after: RecordedResponse
  /** Null if native was asked before the core: the data may have changed in between. */
  readonly first: FirstComparison<RecordedResponse> | null
}

/**
 * Returns native's differences between core responses that agree, from its repeated and its first response. One
 * response is enough, because faults may be random.
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
