import { isObject, type JsonObject, typeOf } from '#shared/json.ts'
import {
  compareChangeTimes,
  compareTokens,
  mayBeSameTime,
  mayOpenSameFile,
  readSameRows,
} from './compare-generated.ts'
import { compareKeyed } from './compare-keyed.ts'
import { compareOrdered } from './compare-ordered.ts'
import { type DiffSchema, type LeafSchema, maskKey, selectField, selectOption } from './diff-schema.ts'
import {
  absent,
  type Compare,
  type DifferenceCollector,
  fieldAt,
  type ResponseLocation,
} from './difference-collector.ts'
import { urlPatternOf } from './url-pattern.ts'
import type { DifferenceKind } from './verdict.ts'

const classifyTexts = (
  found: DifferenceCollector,
  { format, accepts, isBesideUrl }: LeafSchema,
  native: string,
  core: string,
): DifferenceKind | null => {
  if (format === 'plain') return 'value'
  if (format === 'free-text') return null
  // If the format is invalid on both sides, both violate the contract in the same way.
  if (!found.areBothValid && accepts(native) !== accepts(core)) return 'format'
  if (format === 'timestamp')
    return mayBeSameTime(native, core, { ...found, mayBeExpiry: isBesideUrl === true }) ? null : 'value'
  // If both sides read the same rows, both tokens come from the same row, and both cursors continue at the same place.
  if (format === 'token' || format === 'cursor') return readSameRows(found.times) ? 'value' : null
  if (format !== 'signed-url') return null
  if (urlPatternOf(native) !== urlPatternOf(core)) return 'format'
  return mayOpenSameFile(found.times, native, core) ? null : 'value'
}

interface PlainField {
  readonly key: string
  readonly schema: LeafSchema
  readonly native: unknown
  readonly core: unknown
}

const isScalar = (value: unknown) => typeof value === 'string' || typeof value === 'number'

// Two fields count as swapped if both values are valid in both fields.
const areSwapped = (a: PlainField, b: PlainField) =>
  a.native !== b.native &&
  a.native === b.core &&
  b.native === a.core &&
  a.schema.accepts(a.native) &&
  b.schema.accepts(b.native)

const addPlainDifferences = (
  found: DifferenceCollector,
  parent: DiffSchema | null,
  fields: readonly PlainField[],
  at: ResponseLocation,
) => {
  const remaining = [...fields]
  for (let field = remaining.shift(); field; field = remaining.shift()) {
    const { key, schema, native, core } = field
    const location = fieldAt(at, key, parent)
    const other = remaining.find((each) => areSwapped(field, each))
    if (other === undefined) compareValues(found, schema, native, core, location)
    else {
      remaining.splice(remaining.indexOf(other), 1)
      const both = { ...location, indexedPath: `${location.indexedPath} and ${maskKey(parent, other.key)}` }
      found.addDifference({ kind: 'order', location: both, schema, pairs: [field, other] })
    }
  }
}

const compareFields: Compare<JsonObject> = (found, schema, native, core, at) => {
  const plain: PlainField[] = []
  const compareField = (key: string) => {
    const field = selectField(schema, key)
    const [ours, theirs] = [native[key], core[key]]
    if (ours === theirs) return
    const isPlain = field?.kind === 'leaf' && field.format === 'plain'
    if (isPlain && isScalar(ours) && isScalar(theirs))
      plain.push({ key, schema: field, native: ours, core: theirs })
    else compareValues(found, field, ours, theirs, fieldAt(at, key, schema))
  }
  const addUnmatched = (kind: 'missing' | 'extra', key: string) => {
    const field = selectField(schema, key)
    const location = fieldAt(at, key, schema)
    if (kind === 'extra') found.add(kind, location, native[key], absent, field)
    else found.add(kind, location, absent, core[key], field)
  }
  for (const key of Object.keys(core)) {
    if (Object.hasOwn(native, key)) compareField(key)
    else addUnmatched('missing', key)
  }
  addPlainDifferences(found, schema, plain, at)
  compareChangeTimes(found, schema, native, core, at)
  compareTokens(found, schema, native, core, at)
  for (const key of Object.keys(native)) if (!Object.hasOwn(core, key)) addUnmatched('extra', key)
}

const compareTexts: Compare<string> = (found, schema, native, core, at) => {
  const kind = schema?.kind === 'leaf' ? classifyTexts(found, schema, native, core) : 'value'
  if (kind) found.add(kind, at, native, core, schema)
  else if (schema?.kind === 'leaf' && schema.format === 'id')
    found.addIdPair({ location: at, schema, native, core })
}

export const compareValues: Compare<unknown> = (found, declared, native, core, at) => {
  if (native === core) return
  const schema = selectOption(declared, core) ?? selectOption(declared, native)
  if (typeOf(native) !== typeOf(core)) found.add('type', at, native, core, schema)
  else if (Array.isArray(native) && Array.isArray(core)) {
    const array = schema?.kind === 'array' ? schema : null
    if (array && array.key !== null) compareKeyed(compareValues, found, array, native, core, at)
    else compareOrdered(compareValues, found, array?.element ?? null, native, core, at)
  } else if (isObject(native) && isObject(core)) compareFields(found, schema, native, core, at)
  else if (typeof native === 'string' && typeof core === 'string')
    compareTexts(found, schema, native, core, at)
  else found.add('value', at, native, core, schema)
}
