import { compareOrdered } from './compare-ordered.ts'
import { absent, type CompareValues, elementAt, type FindingLocation, type Findings } from './findings.ts'
import { fingerprint } from './fingerprint.ts'
import { isObject } from './json.ts'
import type { ArrayShape, LeafShape } from './shape.ts'

type KeyedElements = readonly unknown[]

interface KeyedElement {
  /** `null` if the element lacks its key field. */
  readonly key: string | null
  readonly element: unknown
  readonly index: number
}

const keyLeaf = ({ by, element }: ArrayShape): LeafShape | null => {
  const leaf = typeof by === 'object' && element.kind === 'object' ? element.fields.get(by.field) : undefined
  return leaf?.kind === 'leaf' ? leaf : null
}

const readKey = ({ by, element: shape }: ArrayShape, element: unknown) => {
  if (by === 'content') return fingerprint(shape, element)
  const key = typeof by === 'object' && isObject(element) ? element[by.field] : undefined
  return typeof key === 'string' || key === null ? JSON.stringify(key) : null
}

// Elements with the same key are numbered in the order of their fingerprints.
const toEntries = (shape: ArrayShape, elements: KeyedElements): readonly KeyedElement[] => {
  const keys = elements.map((element) => readKey(shape, element))
  const fingerprintAt = (index: number) => fingerprint(shape.element, elements[index])
  return [...Map.groupBy(keys.keys(), (index) => keys[index] ?? null)].flatMap(([key, indexes]) => {
    const sorted =
      indexes.length === 1
        ? indexes
        : indexes.toSorted((a, b) => (fingerprintAt(a) < fingerprintAt(b) ? -1 : 1))
    return sorted.map((index, nth) => ({
      key: key === null ? null : `${nth} ${key}`,
      element: elements[index],
      index,
    }))
  })
}

// If an element has no key, the unmatched elements are paired in order.
const pairLeftovers = (ours: KeyedElement[], theirs: KeyedElement[]): [KeyedElement, KeyedElement][] => {
  const hasKeyless = [...ours, ...theirs].some(({ key }) => key === null)
  if (!hasKeyless) return []
  const count = Math.min(ours.length, theirs.length)
  const theirsPaired = theirs.splice(0, count)
  return ours.splice(0, count).flatMap((entry, nth): [KeyedElement, KeyedElement][] => {
    const other = theirsPaired[nth]
    return other ? [[entry, other]] : []
  })
}

const withoutKey = ({ by, element: shape }: ArrayShape, { element }: KeyedElement) => {
  if (typeof by !== 'object' || !isObject(element)) return null
  const { [by.field]: _, ...rest } = element
  return fingerprint(shape, rest)
}

// Elements with equal content and different keys are one renamed element, unless the key is a generated id.
const pairRenamed = (
  shape: ArrayShape,
  ours: KeyedElement[],
  theirs: KeyedElement[],
): [KeyedElement, KeyedElement][] => {
  if (keyLeaf(shape)?.format === 'id') return []
  return ours.slice().flatMap((entry): [KeyedElement, KeyedElement][] => {
    const content = withoutKey(shape, entry)
    const other = theirs.find((each) => content !== null && withoutKey(shape, each) === content)
    if (other === undefined) return []
    ours.splice(ours.indexOf(entry), 1)
    theirs.splice(theirs.indexOf(other), 1)
    return [[entry, other]]
  })
}

/** Compares two arrays whose elements are identified by a key field or by their content. */
export const compareKeyed = (
  compare: CompareValues,
  found: Findings,
  shape: ArrayShape,
  native: KeyedElements,
  core: KeyedElements,
  at: FindingLocation,
) => {
  const theirs = new Map(toEntries(shape, core).map((entry) => [entry.key ?? entry, entry]))
  const ours = toEntries(shape, native).toSorted((a, b) => a.index - b.index)
  const isShared = ({ key }: KeyedElement) => key !== null && theirs.has(key)
  // If each side generated its own ids, no key matches and only the index identifies an element.
  if (keyLeaf(shape)?.format === 'id' && ours.every((entry) => !isShared(entry))) {
    compareOrdered(compare, found, shape.element, native, core, at)
    return
  }
  const unmatchedNative: KeyedElement[] = []
  for (const entry of ours) {
    const other = entry.key === null ? undefined : theirs.get(entry.key)
    if (other) compare(found, shape.element, entry.element, other.element, elementAt(at, entry.index))
    else unmatchedNative.push(entry)
    if (entry.key !== null) theirs.delete(entry.key)
  }
  const unmatchedCore = [...theirs.values()].toSorted((a, b) => a.index - b.index)
  for (const [entry, other] of [
    ...pairRenamed(shape, unmatchedNative, unmatchedCore),
    ...pairLeftovers(unmatchedNative, unmatchedCore),
  ])
    compare(found, shape.element, entry.element, other.element, elementAt(at, entry.index))
  for (const { element, index } of unmatchedNative)
    found.add('extra', elementAt(at, index), element, absent, shape.element)
  for (const { element, index } of unmatchedCore)
    found.add('missing', elementAt(at, index), absent, element, shape.element)
}
