import { compareKeyed } from './compare-keyed.ts'
import { compareOrdered } from './compare-ordered.ts'
import type { CompareValues, FindingLocation, Findings } from './findings.ts'
import type { ArrayShape } from './shape.ts'

type Elements = readonly unknown[]

/** Compares two arrays by index, by a key field or by content, as the shape declares. */
export const compareArrays = (
  compare: CompareValues,
  found: Findings,
  shape: ArrayShape | null,
  native: Elements,
  core: Elements,
  at: FindingLocation,
) => {
  if (shape && shape.by !== 'index') compareKeyed(compare, found, shape, native, core, at)
  else compareOrdered(compare, found, shape?.element ?? null, native, core, at)
}
