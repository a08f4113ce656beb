import type { Label } from '#contracts/route-table.ts'
import { findDifferences } from '../../parity/diff/find-differences.ts'
import type { Rules } from '../../parity/diff/judge.ts'
import type { RecordedResponse } from '../../parity/diff/recorded-response.ts'
import type { Difference, Verdict } from '../../parity/diff/verdict.ts'
import { contractOf, ignoreOwnHeaders, judgeResponses } from './judge-responses.ts'

const isUnder = (path: string, ancestor: string) => path === ancestor || path.startsWith(`${ancestor}.`)

// Where the number of elements or their order changes, so does what an index or a whole list says.
const isAffected = (path: string, changed: string) =>
  changed === 'status' || isUnder(path, changed) || changed === `${path}.*`

/**
 * The differences that persist: those that native has to both responses of the core, at locations on which these agree. A
 * leak persists in any case, because nothing that the core returns permits it. `changed` are the paths at which the
 * responses of the core differ from each other.
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

/** The differences of native that persist between two responses of the core, one from before and one from after it. */
export const confirmAgainstCore = (
  label: Label,
  native: RecordedResponse,
  before: RecordedResponse,
  after: RecordedResponse,
  rules: Rules,
): readonly Difference[] => {
  const changed = findDifferences(
    contractOf(label),
    ignoreOwnHeaders(after),
    ignoreOwnHeaders(before),
    false,
    true,
  ).map(({ location }) => location.path)
  return selectPersistent(
    judgeResponses(label, native, before, rules),
    judgeResponses(label, native, after, rules),
    changed,
  )
}
