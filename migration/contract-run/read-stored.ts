import type { Label } from '#contracts/route-table.ts'
import { createSignature, type Difference, type Verdict } from '../diff/verdict.ts'

const sharedStart = (paths: readonly string[]) => {
  const [first = [], ...others] = paths.map((path) => path.split('.'))
  const end = first.findIndex((name, place) => others.some((other) => other[place] !== name))
  return first.slice(0, end === -1 ? first.length : end).join('.')
}

const sole = <T>(values: readonly T[]) => (new Set(values).size === 1 ? values[0] : undefined)

// A change that was lost shows in all that it would have changed.
const together = (differences: readonly Difference[]): readonly Difference[] => {
  const [first, ...others] = differences
  if (first === undefined || others.length === 0) return differences
  const paths = differences.map(({ path }) => path)
  return [
    {
      ...first,
      kind: sole(differences.map(({ kind }) => kind)) ?? 'value',
      // Nothing is shared where headers differ beside the body.
      path: sharedStart(paths) || 'answer',
      blame: sole(differences.map(({ blame }) => blame)) ?? 'unknown',
      count: differences.reduce((sum, { count }) => sum + count, 0),
      reason: `differs at ${paths.join(', ')}`,
    },
  ]
}

/**
 * What a write left behind differs: that is the write's doing, and none of its statuses. However many fields show it,
 * one write did it.
 */
export const asStored = (verdict: Verdict, storedBy: Label): Verdict => {
  const isRegression = ({ class: grade }: Difference) => grade === 'regression'
  const differences = [
    ...together(verdict.differences.filter(isRegression)),
    ...verdict.differences.filter((difference) => !isRegression(difference)),
  ]
  return {
    ...verdict,
    label: storedBy,
    native: null,
    core: null,
    differences: differences.map((difference) => {
      const path = `${verdict.label} ${difference.path}`
      return { ...difference, path, signature: createSignature(storedBy, path, difference.kind) }
    }),
  }
}
