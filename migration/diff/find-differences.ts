import type { Contract } from '#contracts/shared/contract.ts'
import { isObject } from '#shared/json.ts'
import type { TimeComparison } from './compare-generated.ts'
import { addLocationIds, compareHeaders } from './compare-headers.ts'
import { compareValues } from './compare-values.ts'
import { selectDiffSchema } from './contract-of-response.ts'
import { type DiffSchema, selectOption, unmaskedSchema } from './diff-schema.ts'
import {
  absent,
  body,
  createCollector,
  type DifferenceCollector,
  type IdPair,
  locationAt,
  type RawDifference,
} from './difference-collector.ts'
import type { Body, RecordedResponse } from './recorded-response.ts'

const readContent = (read: Body) => {
  if (read.kind === 'empty') return absent
  return read.kind === 'json' ? read.value : read.text
}

const compareBodies = (found: DifferenceCollector, schema: DiffSchema | null, native: Body, core: Body) => {
  const [ours, theirs] = [readContent(native), readContent(core)]
  if (ours === absent || theirs === absent) {
    if (ours !== theirs) found.add(ours === absent ? 'missing' : 'extra', body, ours, theirs)
  } else if (native.kind !== core.kind) found.add('type', body, ours, theirs)
  else compareValues(found, schema, ours, theirs, body)
}

// Uses the `date` header instead of the clock. Responses are judged again at the end of a run, when their URLs may have
// expired. The header has whole seconds, so this rounds up.
const respondedAt = (responses: readonly RecordedResponse[]) => {
  const times = responses.map(({ headers }) => Date.parse(headers.date ?? '') + 1000)
  return times.some(Number.isNaN) ? Date.now() : Math.max(...times)
}

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
const compareIds = (
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

/** `isValid`: both satisfy the contract. `isSameState`: both sides read the same state. */
export const findDifferences = (
  contract: Contract,
  native: RecordedResponse,
  core: RecordedResponse,
  isValid = false,
  isSameState = false,
  times: TimeComparison = 'any',
): readonly RawDifference[] => {
  const found = createCollector(isValid, times, respondedAt([native, core]))
  if (native.status !== core.status) {
    // Bodies are compared only if the statuses are equal, because each status has its own schema.
    found.add('status', locationAt('status'), native.status, core.status, unmaskedSchema)
    return found.list()
  }
  const schema = selectDiffSchema(contract, native) ?? selectDiffSchema(contract, core)
  compareHeaders(found, contract, native, core)
  compareBodies(found, schema, native.body, core.body)
  addLocationIds(found, contract, native, core)
  compareIds(found, schema, readContent(native.body), readContent(core.body), isSameState)
  return found.list()
}
