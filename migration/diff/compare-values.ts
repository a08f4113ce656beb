import { compareArrays } from './compare-arrays.ts'
import { absent, type Findings, fieldAt, type Place } from './findings.ts'
import { isObject, type JsonObject, typeOf } from './json.ts'
import { fieldOf, optionOf } from './select-shape.ts'
import type { LeafShape, Shape } from './shape.ts'
import { urlShape } from './url-shape.ts'
import type { DifferenceKind } from './verdict.ts'

const kindOfLeaves = (
  { areInForm }: Findings,
  { format, accepts }: LeafShape,
  native: string,
  core: string,
): DifferenceKind | null => {
  if (format === 'plain') return 'value'
  if (format === 'free-text') return null
  // Where neither side is in form, both break the contract in the same way.
  if (!areInForm && accepts(native) !== accepts(core)) return 'format'
  return format === 'signed-url' && urlShape(native) !== urlShape(core) ? 'format' : null
}

// Most of what differs between two runs differs in nothing but its value, and is not worth a place.
const isAlike = (found: Findings, shape: Shape | null, native: unknown, core: unknown) =>
  shape?.kind === 'leaf' &&
  shape.format !== 'id' &&
  typeof native === 'string' &&
  typeof core === 'string' &&
  kindOfLeaves(found, shape, native, core) === null

const compareFields = (
  found: Findings,
  shape: Shape | null,
  native: JsonObject,
  core: JsonObject,
  at: Place,
) => {
  const compareField = (key: string) => {
    const field = fieldOf(shape, key)
    const [ours, theirs] = [native[key], core[key]]
    if (ours === theirs || isAlike(found, field, ours, theirs)) return
    compareValues(found, field, ours, theirs, fieldAt(at, key, field !== null))
  }
  const noteAlone = (kind: 'missing' | 'extra', key: string) => {
    const field = fieldOf(shape, key)
    const place = fieldAt(at, key, field !== null)
    if (kind === 'extra') found.add(kind, place, native[key], absent, field)
    else found.add(kind, place, absent, core[key], field)
  }
  for (const key of Object.keys(core)) {
    if (Object.hasOwn(native, key)) compareField(key)
    else noteAlone('missing', key)
  }
  for (const key of Object.keys(native)) if (!Object.hasOwn(core, key)) noteAlone('extra', key)
}

const compareTexts = (found: Findings, shape: Shape | null, native: string, core: string, at: Place) => {
  const kind = shape?.kind === 'leaf' ? kindOfLeaves(found, shape, native, core) : 'value'
  if (kind) found.add(kind, at, native, core, shape)
  else if (shape?.kind === 'leaf' && shape.format === 'id') found.pairIds({ place: at, shape, native, core })
}

/** Walks two values that belong at the same place of an answer and notes how they differ. */
export const compareValues = (
  found: Findings,
  declared: Shape | null,
  native: unknown,
  core: unknown,
  at: Place,
): void => {
  if (native === core) return
  const shape = optionOf(declared, core) ?? optionOf(declared, native)
  if (typeOf(native) !== typeOf(core)) found.add('type', at, native, core, shape)
  else if (Array.isArray(native) && Array.isArray(core)) {
    compareArrays(found, shape?.kind === 'array' ? shape : null, native, core, at)
  } else if (isObject(native) && isObject(core)) compareFields(found, shape, native, core, at)
  else if (typeof native === 'string' && typeof core === 'string')
    compareTexts(found, shape, native, core, at)
  else found.add('value', at, native, core, shape)
}
