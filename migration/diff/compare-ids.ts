import type { Findings, IdPair } from './findings.ts'
import { isObject } from './json.ts'
import { selectOption } from './select-shape.ts'
import type { Shape } from './shape.ts'

/** Start of the text that replaces an id received while a scenario was being prepared. The same on both sides. */
export const preparedIdPrefix = 'prepared-'

const isPrepared = (id: string) => id.startsWith(preparedIdPrefix)

const collect = (ids: Set<string>, declared: Shape | null, value: unknown): void => {
  const shape = selectOption(declared, value)
  if (shape?.kind === 'leaf') {
    if (shape.format === 'id' && typeof value === 'string') ids.add(value)
  } else if (shape?.kind === 'array' && Array.isArray(value)) {
    for (const element of value) collect(ids, shape.element, element)
  } else if (shape?.kind === 'object' && isObject(value)) {
    for (const [key, field] of shape.fields) if (key in value) collect(ids, field, value[key])
  }
}

const collectIds = (shape: Shape | null, value: unknown) => {
  const ids = new Set<string>()
  collect(ids, shape, value)
  return ids
}

/**
 * Compares ids that each side generated. They must map one to one, and an id that occurs on both sides must be at the
 * same location. Ids must be equal if the scenario knows them or if both sides read the same state.
 */
export const compareIds = (
  found: Findings,
  shape: Shape | null,
  native: unknown,
  core: unknown,
  isSameState: boolean,
) => {
  const pairs = found.idPairs()
  if (pairs.length === 0) return
  const [nativeIds, coreIds] = [collectIds(shape, native), collectIds(shape, core)]
  const [coreByNative, nativeByCore] = [new Map<string, string>(), new Map<string, string>()]
  const isConsistent = (pair: IdPair) => {
    if (isSameState || isPrepared(pair.native) || isPrepared(pair.core)) return false
    if (nativeIds.has(pair.core) || coreIds.has(pair.native)) return false
    if (!coreByNative.has(pair.native)) coreByNative.set(pair.native, pair.core)
    if (!nativeByCore.has(pair.core)) nativeByCore.set(pair.core, pair.native)
    return coreByNative.get(pair.native) === pair.core && nativeByCore.get(pair.core) === pair.native
  }
  for (const pair of pairs)
    if (!isConsistent(pair)) found.add('value', pair.location, pair.native, pair.core, pair.shape)
}
