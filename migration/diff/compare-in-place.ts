import { type CompareValues, elementAt, type FindingLocation, type Findings } from './findings.ts'
import { fingerprint } from './fingerprint.ts'
import { isSame } from './json.ts'
import { type Shape, unmaskedShape } from './shape.ts'

type ElementsInPlace = readonly unknown[]

type CompareElements = (
  compare: CompareValues,
  found: Findings,
  element: Shape | null,
  native: ElementsInPlace,
  core: ElementsInPlace,
  at: FindingLocation,
) => void

// A waveform has hundreds of thousands of numbers, so all that differ become one finding at once.
const compareNumbers: CompareElements = (_compare, found, element, native, core, at) => {
  const differs = (value: unknown, index: number) => value !== core[index]
  const first = native.findIndex(differs)
  const pairs = native.flatMap((value, index) =>
    differs(value, index) ? [{ native: value, core: core[index] }] : [],
  )
  if (pairs.length > 0)
    found.addFinding({ kind: 'value', place: elementAt(at, first), shape: element, pairs })
}

const isNumber = (value: unknown) => typeof value === 'number'

const compareByIndex: CompareElements = (compare, found, element, native, core, at) => {
  const length = Math.min(native.length, core.length)
  const [ours, theirs] = [native.slice(0, length), core.slice(0, length)]
  if (ours.every(isNumber) && theirs.every(isNumber))
    return compareNumbers(compare, found, element, ours, theirs, at)
  for (const [index, value] of ours.entries()) {
    if (isSame(value, theirs[index])) continue
    compare(found, element, value, theirs[index], elementAt(at, index))
  }
}

const haveSameElements = (native: ElementsInPlace, core: ElementsInPlace) => {
  const counts = new Map<unknown, number>()
  for (const element of native) counts.set(element, (counts.get(element) ?? 0) + 1)
  return core.every((element) => {
    const left = counts.get(element) ?? 0
    counts.set(element, left - 1)
    return left > 0
  })
}

const isPermutation = (native: ElementsInPlace, core: ElementsInPlace) =>
  !native.every((element, index) => element === core[index]) && haveSameElements(native, core)

// In a reordered array each field has the same values on both sides. This check is cheap and rules out nearly
// every array before `isReordered` runs.
const mayBeReordered = (attempt: Findings, at: FindingLocation) => {
  const isShallowPath = (path: string) => path.slice(at.path.length).split('.').length <= 3
  return attempt
    .list()
    .filter(({ kind, place }) => kind === 'value' && isShallowPath(place.path))
    .every(({ pairs }) =>
      haveSameElements(
        pairs.map(({ native }) => native),
        pairs.map(({ core }) => core),
      ),
    )
}

const listFingerprints = (shape: Shape | null, elements: ElementsInPlace) =>
  elements.map((part) => fingerprint(shape, part))

// A primitive value identifies itself.
const identities = (elements: ElementsInPlace) =>
  elements.map((part) => (typeof part === 'object' ? fingerprint(null, part) : part))

const isPlain = (shape: Shape | null) => shape === null || (shape.kind === 'leaf' && shape.format === 'plain')

// Compares by value and, if each side may have generated its own values, by form.
const isReordered = (
  element: Shape | null,
  native: ElementsInPlace,
  core: ElementsInPlace,
  byForm: boolean,
) => {
  const differs = (_: unknown, index: number) => !isSame(native[index], core[index])
  const [movedNative, movedCore] = [native.filter(differs), core.filter(differs)]
  const isElsewhere = movedCore.some((other) => isSame(other, movedNative[0]))
  if (isElsewhere && isPermutation(identities(movedNative), identities(movedCore))) return true
  return (
    byForm &&
    !isPlain(element) &&
    isPermutation(listFingerprints(element, movedNative), listFingerprints(element, movedCore))
  )
}

const compareSequences: CompareElements = (compare, found, element, native, core, at) => {
  const attempt = found.createEmpty()
  compareByIndex(compare, attempt, element, native, core, at)
  const differs = attempt.list().length > 0
  const isCandidate = (differs || attempt.idPairs().length > 1) && mayBeReordered(attempt, at)
  if (isCandidate && isReordered(element, native, core, differs)) found.add('order', at, native, core)
  else found.merge(attempt)
}

const isSubsequence = (shorter: readonly string[], longer: readonly string[]) => {
  let next = 0
  for (const element of longer) if (element === shorter[next]) next++
  return next === shorter.length
}

// An added or removed element is one difference. If all other elements agree, nothing more is reported.
const compareLengths: CompareElements = (compare, found, element, native, core, at) => {
  found.add('length', at, native.length, core.length, unmaskedShape)
  const [left, right] = [listFingerprints(element, native), listFingerprints(element, core)]
  const [shorter, longer] = left.length < right.length ? [left, right] : [right, left]
  if (!isSubsequence(shorter, longer)) compareByIndex(compare, found, element, native, core, at)
}

/** Compares two arrays whose order is significant. */
export const compareInPlace: CompareElements = (compare, found, element, native, core, at) => {
  if (native.length === core.length) compareSequences(compare, found, element, native, core, at)
  else compareLengths(compare, found, element, native, core, at)
}
