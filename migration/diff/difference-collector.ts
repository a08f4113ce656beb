import type { TimeComparison } from './compare-generated.ts'
import { type DiffSchema, maskKey, selectField } from './diff-schema.ts'
import type { DifferenceKind } from './verdict.ts'

/** A location in a response. Differences are counted by `path`, which has `*` for each array index. */
export interface ResponseLocation {
  readonly path: string
  readonly indexedPath: string
  readonly declared: boolean
}

export const absent: unique symbol = Symbol('absent')

export interface ValuePair {
  readonly native: unknown
  readonly core: unknown
}

export interface RawDifference {
  readonly kind: DifferenceKind
  readonly location: ResponseLocation
  readonly schema: DiffSchema | null
  readonly pairs: readonly ValuePair[]
}

export interface IdPair {
  readonly location: ResponseLocation
  readonly schema: DiffSchema
  readonly native: string
  readonly core: string
}

export interface DifferenceCollector {
  /** Whether both sides satisfy the contract. If so, values need not be validated again. */
  readonly areBothValid: boolean
  readonly times: TimeComparison
  /** When the later of the two responses was complete, rounded up to a second. */
  readonly respondedAtMs: number
  add(
    kind: DifferenceKind,
    location: ResponseLocation,
    native: unknown,
    core: unknown,
    schema?: DiffSchema | null,
  ): void
  addDifference(difference: RawDifference): void
  /** Adds two ids that differ at the same location. `compareIds` compares them later. */
  addIdPair(pair: IdPair): void
  createEmpty(): DifferenceCollector
  merge(others: DifferenceCollector): void
  list(): readonly RawDifference[]
  idPairs(): readonly IdPair[]
}

export const createCollector = (
  isValid = false,
  times: TimeComparison = 'any',
  respondedAtMs = Date.now(),
): DifferenceCollector => {
  const differences = new Map<string, RawDifference & { readonly pairs: ValuePair[] }>()
  const ids: IdPair[] = []
  const gather = ({ kind, location, schema, pairs }: RawDifference) => {
    const key = `${kind} ${location.path}`
    const known = differences.get(key)
    if (known) for (const pair of pairs) known.pairs.push(pair)
    else differences.set(key, { kind, location, schema, pairs: [...pairs] })
  }
  return {
    areBothValid: isValid,
    times,
    respondedAtMs,
    add: (kind, location, native, core, schema = null) =>
      gather({ kind, location, schema, pairs: [{ native, core }] }),
    addDifference: gather,
    addIdPair: (pair) => {
      ids.push(pair)
    },
    createEmpty: () => createCollector(isValid, times, respondedAtMs),
    merge: (others) => {
      for (const difference of others.list()) gather(difference)
      for (const pair of others.idPairs()) ids.push(pair)
    },
    list: () => [...differences.values()],
    idPairs: () => ids,
  }
}

export const locationAt = (path: string): ResponseLocation => ({ path, indexedPath: path, declared: true })

/** Creates a difference that is not in an array. An undefined value counts as absent. */
export const differenceAt = (
  kind: DifferenceKind,
  path: string,
  schema: DiffSchema | null,
  native: unknown,
  core: unknown,
): RawDifference => ({
  kind,
  location: locationAt(path),
  schema,
  pairs: [{ native: native ?? absent, core: core ?? absent }],
})

export const body = locationAt('body')

export const fieldAt = (
  location: ResponseLocation,
  key: string,
  schema: DiffSchema | null,
): ResponseLocation => {
  const name = maskKey(schema, key)
  return {
    path: `${location.path}.${name}`,
    indexedPath: `${location.indexedPath}.${name}`,
    declared: location.declared && selectField(schema, key) !== null,
  }
}

export const elementAt = (location: ResponseLocation, index: number): ResponseLocation => ({
  path: `${location.path}.*`,
  indexedPath: `${location.indexedPath}.${index}`,
  declared: location.declared,
})

export type Compare<T> = (
  found: DifferenceCollector,
  schema: DiffSchema | null,
  native: T,
  core: T,
  at: ResponseLocation,
) => void
