import { compareKeyed } from './compare-keyed.ts'
import { compareValues } from './compare-values.ts'
import { elementAt, type FindingLocation, type Findings } from './findings.ts'
import { fingerprint } from './fingerprint.ts'
import { isSame } from './json.ts'
import { type ArrayShape, type Shape, shown } from './shape.ts'

type Elements = readonly unknown[]

type CompareElements = (
  found: Findings,
  element: Shape | null,
  native: Elements,
  core: Elements,
  at: FindingLocation,
) => void

// A waveform has hundreds of thousands of numbers: they differ all in the same way.
const compareNumbers: CompareElements = (found, element, native, core, at) => {
  const differs = (value: unknown, index: number) => value !== core[index]
  const first = native.findIndex(differs)
  const pairs = native.flatMap((value, index) =>
    differs(value, index) ? [{ native: value, core: core[index] }] : [],
  )
  if (pairs.length > 0) found.gather({ kind: 'value', place: elementAt(at, first), shape: element, pairs })
}

const isNumber = (value: unknown) => typeof value === 'number'

const comparePlaces: CompareElements = (found, element, native, core, at) => {
  const shared = Math.min(native.length, core.length)
  const [ours, theirs] = [native.slice(0, shared), core.slice(0, shared)]
  if (ours.every(isNumber) && theirs.every(isNumber)) return compareNumbers(found, element, ours, theirs, at)
  for (const [index, value] of ours.entries()) {
    if (isSame(value, theirs[index])) continue
    compareValues(found, element, value, theirs[index], elementAt(at, index))
  }
}

const haveSameElements = (native: Elements, core: Elements) => {
  const counts = new Map<unknown, number>()
  for (const element of native) counts.set(element, (counts.get(element) ?? 0) + 1)
  return core.every((element) => {
    const left = counts.get(element) ?? 0
    counts.set(element, left - 1)
    return left > 0
  })
}

const isPermutation = (native: Elements, core: Elements) =>
  !native.every((element, index) => element === core[index]) && haveSameElements(native, core)

// A mere reordering gives every field the same values on both sides: cheap to ask of what differs, and nearly
// always answered with no.
const mayBeReordered = (attempt: Findings, at: FindingLocation) => {
  const isOfElement = (path: string) => path.slice(at.path.length).split('.').length <= 3
  return attempt
    .list()
    .filter(({ kind, place }) => kind === 'value' && isOfElement(place.path))
    .every(({ pairs }) =>
      haveSameElements(
        pairs.map(({ native }) => native),
        pairs.map(({ core }) => core),
      ),
    )
}

const prints = (shape: Shape | null, elements: Elements) => elements.map((part) => fingerprint(shape, part))

// What is neither an object nor an array is its own fingerprint.
const identities = (elements: Elements) =>
  elements.map((part) => (typeof part === 'object' ? fingerprint(null, part) : part))

const isPlain = (shape: Shape | null) => shape === null || (shape.kind === 'leaf' && shape.format === 'plain')

// As values and, where each side may have made its own, by their form.
const isReordered = (element: Shape | null, native: Elements, core: Elements, byForm: boolean) => {
  const differs = (_: unknown, index: number) => !isSame(native[index], core[index])
  const [moved, stood] = [native.filter(differs), core.filter(differs)]
  const isElsewhere = stood.some((other) => isSame(other, moved[0]))
  if (isElsewhere && isPermutation(identities(moved), identities(stood))) return true
  return byForm && !isPlain(element) && isPermutation(prints(element, moved), prints(element, stood))
}

const compareSequences: CompareElements = (found, element, native, core, at) => {
  const attempt = found.attempt()
  comparePlaces(attempt, element, native, core, at)
  const differs = attempt.list().length > 0
  const isSuspect = (differs || attempt.idPairs().length > 1) && mayBeReordered(attempt, at)
  if (isSuspect && isReordered(element, native, core, differs)) found.add('order', at, native, core)
  else found.take(attempt)
}

const isWithin = (shorter: readonly string[], longer: readonly string[]) => {
  let next = 0
  for (const element of longer) if (element === shorter[next]) next++
  return next === shorter.length
}

// An element more or less is one difference: what surrounds it is compared as if it were not there.
const compareLengths: CompareElements = (found, element, native, core, at) => {
  found.add('length', at, native.length, core.length, shown)
  const [left, right] = [prints(element, native), prints(element, core)]
  const [shorter, longer] = left.length < right.length ? [left, right] : [right, left]
  if (!isWithin(shorter, longer)) comparePlaces(found, element, native, core, at)
}

/** Compares two arrays of which each element has its place. */
export const compareInPlace: CompareElements = (found, element, native, core, at) => {
  if (native.length === core.length) compareSequences(found, element, native, core, at)
  else compareLengths(found, element, native, core, at)
}

/** Compares two arrays by what tells their elements apart. */
export const compareArrays = (
  found: Findings,
  shape: ArrayShape | null,
  native: Elements,
  core: Elements,
  at: FindingLocation,
) => {
  if (shape && shape.by !== 'place') compareKeyed(found, shape, native, core, at)
  else compareInPlace(found, shape?.element ?? null, native, core, at)
}
