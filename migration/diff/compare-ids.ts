import type { Findings, IdPair } from './findings.ts'
import { isObject } from './json.ts'
import { selectOption } from './select-shape.ts'
import type { Shape } from './shape.ts'

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

const idsOf = (shape: Shape | null, value: unknown) => {
  const ids = new Set<string>()
  collect(ids, shape, value)
  return ids
}

/**
 * Two sides that made their ids themselves must have made one for the other: where an id stands twice on one
 * side, so it does on the other, and an id that both sides know means the same on both. Two that were asked of
 * one state have no ids of their own.
 */
export const compareIds = (
  found: Findings,
  shape: Shape | null,
  native: unknown,
  core: unknown,
  ofOneState: boolean,
) => {
  const pairs = found.idPairs()
  if (pairs.length === 0) return
  const [ofNative, ofCore] = [idsOf(shape, native), idsOf(shape, core)]
  const [toCore, toNative] = [new Map<string, string>(), new Map<string, string>()]
  const isConsistent = (pair: IdPair) => {
    if (ofOneState || ofNative.has(pair.core) || ofCore.has(pair.native)) return false
    if (!toCore.has(pair.native)) toCore.set(pair.native, pair.core)
    if (!toNative.has(pair.core)) toNative.set(pair.core, pair.native)
    return toCore.get(pair.native) === pair.core && toNative.get(pair.core) === pair.native
  }
  for (const pair of pairs)
    if (!isConsistent(pair)) found.add('value', pair.place, pair.native, pair.core, pair.shape)
}
