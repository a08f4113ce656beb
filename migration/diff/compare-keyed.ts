import { isObject } from '#shared/json.ts'
import type { ArraySchema } from './diff-schema.ts'
import {
  absent,
  type Compare,
  type DifferenceCollector,
  elementAt,
  type ResponseLocation,
} from './difference-collector.ts'
import { fingerprint } from './fingerprint.ts'

type KeyedElements = readonly unknown[]

interface KeyedElement {
  readonly key: string | null
  readonly element: unknown
  readonly index: number
}

const readKey = ({ key }: ArraySchema, element: unknown) => {
  const value = key !== null && isObject(element) ? element[key] : undefined
  return typeof value === 'string' || value === null ? JSON.stringify(value) : null
}

const sortByFingerprint = (schema: ArraySchema, elements: KeyedElements, indexes: readonly number[]) =>
  indexes
    .map((index) => ({ index, print: fingerprint(schema.element, elements[index]) }))
    .sort((a, b) => (a.print < b.print ? -1 : 1))
    .map(({ index }) => index)

// Elements with the same key are numbered in the order of their fingerprints.
const toEntries = (schema: ArraySchema, elements: KeyedElements): readonly KeyedElement[] => {
  const keys = elements.map((element) => readKey(schema, element))
  return [...Map.groupBy(keys.keys(), (index) => keys[index] ?? null)].flatMap(([key, indexes]) => {
    const sorted = indexes.length === 1 ? indexes : sortByFingerprint(schema, elements, indexes)
    return sorted.map((index, nth) => ({
      key: key === null ? null : `${nth} ${key}`,
      element: elements[index],
      index,
    }))
  })
}

// If any element has no key, pairs the remaining elements in order.
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

const withoutKey = ({ key, element: schema }: ArraySchema, { element }: KeyedElement) => {
  if (key === null || !isObject(element)) return null
  const { [key]: _, ...rest } = element
  return fingerprint(schema, rest)
}

// Equal content under different keys means that an element was renamed. Looks at each element once, because a body may
// have hundreds of thousands of them.
const pairRenamed = (schema: ArraySchema, ours: readonly KeyedElement[], theirs: readonly KeyedElement[]) => {
  const pairs: (readonly [KeyedElement, KeyedElement])[] = []
  const byContent = Map.groupBy(theirs.toReversed(), (entry) => withoutKey(schema, entry))
  const unpaired = ours.filter((entry) => {
    const content = withoutKey(schema, entry)
    const other = content === null ? undefined : byContent.get(content)?.pop()
    if (other) pairs.push([entry, other])
    return other === undefined
  })
  const renamed = new Set(pairs.map(([, other]) => other))
  return { pairs, ours: unpaired, theirs: theirs.filter((entry) => !renamed.has(entry)) }
}

export const compareKeyed = (
  compare: Compare<unknown>,
  found: DifferenceCollector,
  schema: ArraySchema,
  native: KeyedElements,
  core: KeyedElements,
  at: ResponseLocation,
) => {
  const theirs = new Map(toEntries(schema, core).map((entry) => [entry.key ?? entry, entry]))
  const ours = toEntries(schema, native).toSorted((a, b) => a.index - b.index)
  const unmatchedNative: KeyedElement[] = []
  for (const entry of ours) {
    const other = entry.key === null ? undefined : theirs.get(entry.key)
    if (other) compare(found, schema.element, entry.element, other.element, elementAt(at, entry.index))
    else unmatchedNative.push(entry)
    if (entry.key !== null) theirs.delete(entry.key)
  }
  const unmatchedCore = [...theirs.values()].toSorted((a, b) => a.index - b.index)
  const renamed = pairRenamed(schema, unmatchedNative, unmatchedCore)
  for (const [entry, other] of [...renamed.pairs, ...pairLeftovers(renamed.ours, renamed.theirs)])
    compare(found, schema.element, entry.element, other.element, elementAt(at, entry.index))
  for (const { element, index } of renamed.ours)
    found.add('extra', elementAt(at, index), element, absent, schema.element)
  for (const { element, index } of renamed.theirs)
    found.add('missing', elementAt(at, index), absent, element, schema.element)
}
