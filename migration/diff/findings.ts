import type { TimeComparison } from './compare-timestamps.ts'
import { maskKey, selectField } from './select-shape.ts'
import type { Shape } from './shape.ts'
import type { DifferenceKind } from './verdict.ts'

/** A location in a response. Differences are counted by `path`, which has `*` for each array index. */
export interface FindingLocation {
  readonly path: string
  readonly indexedPath: string
  /** Whether the contract declares this location. */
  readonly declared: boolean
}

/** Stands for a value that a side does not have. */
export const absent: unique symbol = Symbol('absent')

export interface ValuePair {
  readonly native: unknown
  readonly core: unknown
}

/** A difference without a verdict, with all pairs of values that differ in this way. */
export interface Finding {
  readonly kind: DifferenceKind
  /** Where the first of the pairs is. */
  readonly location: FindingLocation
  readonly shape: Shape | null
  readonly pairs: readonly ValuePair[]
}

export interface IdPair {
  readonly location: FindingLocation
  readonly shape: Shape
  readonly native: string
  readonly core: string
}

export interface Findings {
  /** Whether both sides satisfy the contract, so that values need not be validated again. */
  readonly areBothValid: boolean
  readonly times: TimeComparison
  /** When the later of the two responses was complete, rounded up to a second. */
  readonly respondedAtMs: number
  add(
    kind: DifferenceKind,
    location: FindingLocation,
    native: unknown,
    core: unknown,
    shape?: Shape | null,
  ): void
  /** Adds a finding with any number of pairs. `location` is that of the first pair. */
  addFinding(finding: Finding): void
  /** Adds two ids that differ at the same location. `compareIds` compares them later. */
  addIdPair(pair: IdPair): void
  /** Creates an empty object for findings, which may later be merged with `merge` or discarded. */
  createEmpty(): Findings
  merge(others: Findings): void
  list(): readonly Finding[]
  idPairs(): readonly IdPair[]
}

export const createFindings = (
  isValid = false,
  times: TimeComparison = 'any',
  respondedAtMs = Date.now(),
): Findings => {
  const findings = new Map<string, Finding & { readonly pairs: ValuePair[] }>()
  const ids: IdPair[] = []
  const gather = ({ kind, location, shape, pairs }: Finding) => {
    const key = `${kind} ${location.path}`
    const known = findings.get(key)
    if (known) for (const pair of pairs) known.pairs.push(pair)
    else findings.set(key, { kind, location, shape, pairs: [...pairs] })
  }
  return {
    areBothValid: isValid,
    times,
    respondedAtMs,
    add: (kind, location, native, core, shape = null) =>
      gather({ kind, location, shape, pairs: [{ native, core }] }),
    addFinding: gather,
    addIdPair: (pair) => {
      ids.push(pair)
    },
    createEmpty: () => createFindings(isValid, times, respondedAtMs),
    merge: (others) => {
      for (const finding of others.list()) gather(finding)
      for (const pair of others.idPairs()) ids.push(pair)
    },
    list: () => [...findings.values()],
    idPairs: () => ids,
  }
}

/** Returns a location that is not in an array, so both of its paths are equal. */
export const locationAt = (path: string): FindingLocation => ({ path, indexedPath: path, declared: true })

export const body = locationAt('body')

/** Returns the location of a field in an object with this shape. */
export const fieldAt = (location: FindingLocation, key: string, shape: Shape | null): FindingLocation => {
  const name = maskKey(shape, key)
  return {
    path: `${location.path}.${name}`,
    indexedPath: `${location.indexedPath}.${name}`,
    declared: location.declared && selectField(shape, key) !== null,
  }
}

export const elementAt = (location: FindingLocation, index: number): FindingLocation => ({
  path: `${location.path}.*`,
  indexedPath: `${location.indexedPath}.${index}`,
  declared: location.declared,
})

/** Compares the values at one location. The array comparisons call it for their elements. */
export type CompareValues = (
  found: Findings,
  declared: Shape | null,
  native: unknown,
  core: unknown,
  at: FindingLocation,
) => void
