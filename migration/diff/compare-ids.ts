import { type DiffSchema, selectOption } from './diff-schema.ts'
import type { DifferenceCollector, IdPair } from './difference-collector.ts'
import { isObject } from './json.ts'

/** The text that replaces an id from a scenario's preparation begins with this. The text is the same on both sides. */
export const preparedIdPrefix = 'prepared-'

const isPrepared = (id: string) => id.startsWith(preparedIdPrefix)

const collect = (ids: Set<string>, declared: DiffSchema | null, value: unknown): void => {
  const schema = selectOption(declared, value)
  if (schema?.kind === 'leaf') {
    if (schema.format === 'id' && typeof value === 'string') ids.add(value)
  } else if (schema?.kind === 'array' && Array.isArray(value)) {
    for (const element of value) collect(ids, schema.element, element)
  } else if (schema?.kind === 'object' && isObject(value)) {
    for (const [key, field] of schema.fields) if (key in value) collect(ids, field, value[key])
  }
}

const collectIds = (schema: DiffSchema | null, value: unknown) => {
  const ids = new Set<string>()
  collect(ids, schema, value)
  return ids
}

/**
 * Compares ids that each side generated. They must map one to one, and an id that occurs on both sides must be at the
 * same location. Ids must be equal if the scenario knows them or if both sides read the same state.
 */
export const compareIds = (
  found: DifferenceCollector,
  schema: DiffSchema | null,
  native: unknown,
  core: unknown,
  isSameState: boolean,
) => {
  const pairs = found.idPairs()
  if (pairs.length === 0) return
  const [nativeIds, coreIds] = [collectIds(schema, native), collectIds(schema, core)]
  const [coreByNative, nativeByCore] = [new Map<string, string>(), new Map<string, string>()]
  const isConsistent = (pair: IdPair) => {
    if (isSameState || isPrepared(pair.native) || isPrepared(pair.core)) return false
    if (nativeIds.has(pair.core) || coreIds.has(pair.native)) return false
    if (!coreByNative.has(pair.native)) coreByNative.set(pair.native, pair.core)
    if (!nativeByCore.has(pair.core)) nativeByCore.set(pair.core, pair.native)
    return coreByNative.get(pair.native) === pair.core && nativeByCore.get(pair.core) === pair.native
  }
  for (const pair of pairs)
    if (!isConsistent(pair)) found.add('value', pair.location, pair.native, pair.core, pair.schema)
}
