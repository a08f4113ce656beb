import type { Label } from '#contracts/route-table.ts'
import { attributeTo, type Difference, isRegression, type Verdict } from '../../diff/verdict.ts'

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
export const attributeToWrite = (verdict: Verdict, write: Label): Verdict => {
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
