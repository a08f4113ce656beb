import { isSame } from '#shared/json.ts'
import { type DiffSchema, unmaskedSchema } from './diff-schema.ts'
import {
  type Compare,
  type DifferenceCollector,
  elementAt,
  type ResponseLocation,
} from './difference-collector.ts'
import { fingerprint } from './fingerprint.ts'

type OrderedElements = readonly unknown[]

type CompareElements = (compare: Compare<unknown>, ...arrays: Parameters<Compare<OrderedElements>>) => void

// All differing numbers become one difference, because a waveform has hundreds of thousands of numbers.
const compareNumbers: Compare<OrderedElements> = (found, element, native, core, at) => {
  const differs = (value: unknown, index: number) => value !== core[index]
  const first = native.findIndex(differs)
  const pairs = native.flatMap((value, index) =>
    differs(value, index) ? [{ native: value, core: core[index] }] : [],
  )
  if (pairs.length > 0)
    found.addDifference({ kind: 'value', location: elementAt(at, first), schema: element, pairs })
}

const isNumber = (value: unknown) => typeof value === 'number'

const compareByIndex: CompareElements = (compare, found, element, native, core, at) => {
  const length = Math.min(native.length, core.length)
  const [nativePart, corePart] = [native.slice(0, length), core.slice(0, length)]
  if (nativePart.every(isNumber) && corePart.every(isNumber))
    return compareNumbers(found, element, nativePart, corePart, at)
  for (const [index, value] of nativePart.entries()) {
    if (isSame(value, corePart[index])) continue
    compare(found, element, value, corePart[index], elementAt(at, index))
  }
}

const haveSameElements = (native: OrderedElements, core: OrderedElements) => {
  const counts = new Map<unknown, number>()
  for (const element of native) counts.set(element, (counts.get(element) ?? 0) + 1)
  return core.every((element) => {
    const remaining = counts.get(element) ?? 0
    counts.set(element, remaining - 1)
    return remaining > 0
  })
}

const isPermutation = (native: OrderedElements, core: OrderedElements) =>
  !native.every((element, index) => element === core[index]) && haveSameElements(native, core)

const maxCheckedDepth = 2

// Each side generates its own times, so they may differ.
const isTime = (schema: DiffSchema | null) => schema?.kind === 'leaf' && schema.format === 'timestamp'

// If an array was only reordered, each field near the top of its elements has the same values on both sides, in a
// different order. This cheap check rules out nearly every other array before `isReordered` runs.
const mayBeReordered = (attempt: DifferenceCollector, at: ResponseLocation) => {
  const isShallowPath = (path: string) => path.slice(at.path.length).split('.').length - 1 <= maxCheckedDepth
  return attempt
    .list()
    .filter(
      ({ kind, location, schema }) => kind === 'value' && !isTime(schema) && isShallowPath(location.path),
    )
    .every(({ pairs }) =>
      haveSameElements(
        pairs.map(({ native }) => native),
        pairs.map(({ core }) => core),
      ),
    )
}

const listFingerprints = (schema: DiffSchema | null, elements: OrderedElements) =>
  elements.map((part) => fingerprint(schema, part))

// Objects are compared by their fingerprints. Primitives can be used as map keys as they are.
const toMapKeys = (elements: OrderedElements) =>
  elements.map((part) => (typeof part === 'object' ? fingerprint(null, part) : part))

const isComparedByValue = (schema: DiffSchema | null) =>
  schema === null || (schema.kind === 'leaf' && schema.format === 'plain')

// Whether one side's elements are a permutation of the other's. Compares their values first. With `byFingerprint`, then
// also compares their fingerprints, which ignore generated values.
const isReordered = (
  element: DiffSchema | null,
  native: OrderedElements,
  core: OrderedElements,
  byFingerprint: boolean,
) => {
  const differs = (_: unknown, index: number) => !isSame(native[index], core[index])
  const [differingNative, differingCore] = [native.filter(differs), core.filter(differs)]
  // A cheap test first: is native's first differing element also among the core's?
  const isElsewhere = differingCore.some((other) => isSame(other, differingNative[0]))
  if (isElsewhere && isPermutation(toMapKeys(differingNative), toMapKeys(differingCore))) return true
  return (
    byFingerprint &&
    !isComparedByValue(element) &&
    isPermutation(listFingerprints(element, differingNative), listFingerprints(element, differingCore))
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

// An added or removed element is one difference. If all other elements agree, nothing else is reported.
const compareLengths: CompareElements = (compare, found, element, native, core, at) => {
  found.add('length', at, native.length, core.length, unmaskedSchema)
  const [natives, cores] = [listFingerprints(element, native), listFingerprints(element, core)]
  const [shorter, longer] = natives.length < cores.length ? [natives, cores] : [cores, natives]
  if (!isSubsequence(shorter, longer)) compareByIndex(compare, found, element, native, core, at)
}

export const compareOrdered: CompareElements = (compare, found, element, native, core, at) => {
  if (native.length === core.length) compareSequences(compare, found, element, native, core, at)
  else compareLengths(compare, found, element, native, core, at)
}
