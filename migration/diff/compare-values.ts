import { compareKeyed } from './compare-keyed.ts'
import { compareOrdered } from './compare-ordered.ts'
import { mayOpenSameFile } from './compare-signed-urls.ts'

import { compareChangeTimes, mayBeSameTime } from './compare-timestamps.ts'
import { compareTokens } from './compare-tokens.ts'
import { absent, type CompareValues, type FindingLocation, type Findings, fieldAt } from './findings.ts'
import { isObject, type JsonObject, typeOf } from './json.ts'
import { maskKey, selectField, selectOption } from './select-shape.ts'
import type { ArrayShape, LeafShape, Shape } from './shape.ts'
import { urlShape } from './url-shape.ts'
import type { DifferenceKind } from './verdict.ts'

type Elements = readonly unknown[]

/** Compares two arrays by index, key field or content, depending on what the shape declares. */
const compareArrays = (
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

const classifyTexts = (
  found: Findings,
  { format, accepts }: LeafShape,
  native: string,
  core: string,
): DifferenceKind | null => {
  if (format === 'plain') return 'value'
  if (format === 'free-text') return null
  // If the format is invalid on both sides, both violate the contract in the same way.
  if (!found.areBothValid && accepts(native) !== accepts(core)) return 'format'
  if (format === 'timestamp')
    return mayBeSameTime(found.times, native, core, found.respondedAtMs) ? null : 'value'
  // If both sides read the same rows, a token comes from the same row, and a cursor continues at the same place.
  if (format === 'token' || format === 'cursor') return found.times === 'equal' ? 'value' : null
  if (format !== 'signed-url') return null
  if (urlShape(native) !== urlShape(core)) return 'format'
  return mayOpenSameFile(found.times, native, core) ? null : 'value'
}

/** A field whose values are compared unchanged. */
interface PlainField {
  readonly key: string
  readonly shape: LeafShape
  readonly native: unknown
  readonly core: unknown
}

// Skips values that differ only in generated content, before a location is created for them.
const isEquivalent = (found: Findings, shape: Shape | null, native: unknown, core: unknown) =>
  shape?.kind === 'leaf' &&
  shape.format !== 'id' &&
  typeof native === 'string' &&
  typeof core === 'string' &&
  classifyTexts(found, shape, native, core) === null

const isScalar = (value: unknown) => typeof value === 'string' || typeof value === 'number'

// Two fields count as swapped if both values are valid in both fields.
const areSwapped = (a: PlainField, b: PlainField) =>
  a.native !== b.native &&
  a.native === b.core &&
  b.native === a.core &&
  a.shape.accepts(a.native) &&
  b.shape.accepts(b.native)

const addPlainDifferences = (
  found: Findings,
  parent: Shape | null,
  fields: readonly PlainField[],
  at: FindingLocation,
) => {
  const remaining = [...fields]
  for (let field = remaining.shift(); field; field = remaining.shift()) {
    const { key, shape, native, core } = field
    const location = fieldAt(at, key, parent)
    const other = remaining.find((each) => areSwapped(field, each))
    if (other === undefined) compareValues(found, shape, native, core, location)
    else {
      remaining.splice(remaining.indexOf(other), 1)
      const both = { ...location, indexedPath: `${location.indexedPath} and ${maskKey(parent, other.key)}` }
      found.addFinding({ kind: 'order', location: both, shape, pairs: [field, other] })
    }
  }
}

const compareFields = (
  found: Findings,
  shape: Shape | null,
  native: JsonObject,
  core: JsonObject,
  at: FindingLocation,
) => {
  const plain: PlainField[] = []
  const compareField = (key: string) => {
    const field = selectField(shape, key)
    const [ours, theirs] = [native[key], core[key]]
    if (ours === theirs || isEquivalent(found, field, ours, theirs)) return
    const isPlain = field?.kind === 'leaf' && field.format === 'plain'
    if (isPlain && isScalar(ours) && isScalar(theirs))
      plain.push({ key, shape: field, native: ours, core: theirs })
    else compareValues(found, field, ours, theirs, fieldAt(at, key, shape))
  }
  const addUnmatched = (kind: 'missing' | 'extra', key: string) => {
    const field = selectField(shape, key)
    const location = fieldAt(at, key, shape)
    if (kind === 'extra') found.add(kind, location, native[key], absent, field)
    else found.add(kind, location, absent, core[key], field)
  }
  for (const key of Object.keys(core)) {
    if (Object.hasOwn(native, key)) compareField(key)
    else addUnmatched('missing', key)
  }
  addPlainDifferences(found, shape, plain, at)
  compareChangeTimes(found, shape, native, core, at)
  compareTokens(found, shape, native, core, at)
  for (const key of Object.keys(native)) if (!Object.hasOwn(core, key)) addUnmatched('extra', key)
}

const compareTexts = (
  found: Findings,
  shape: Shape | null,
  native: string,
  core: string,
  at: FindingLocation,
) => {
  const kind = shape?.kind === 'leaf' ? classifyTexts(found, shape, native, core) : 'value'
  if (kind) found.add(kind, at, native, core, shape)
  else if (shape?.kind === 'leaf' && shape.format === 'id')
    found.addIdPair({ location: at, shape, native, core })
}

/** Compares two values at the same location of two responses, and adds their differences to `found`. */
export const compareValues = (
  found: Findings,
  declared: Shape | null,
  native: unknown,
  core: unknown,
  at: FindingLocation,
): void => {
  if (native === core) return
  const shape = selectOption(declared, core) ?? selectOption(declared, native)
  if (typeOf(native) !== typeOf(core)) found.add('type', at, native, core, shape)
  else if (Array.isArray(native) && Array.isArray(core)) {
    compareArrays(compareValues, found, shape?.kind === 'array' ? shape : null, native, core, at)
  } else if (isObject(native) && isObject(core)) compareFields(found, shape, native, core, at)
  else if (typeof native === 'string' && typeof core === 'string')
    compareTexts(found, shape, native, core, at)
  else found.add('value', at, native, core, shape)
}
