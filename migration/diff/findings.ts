import type { Shape } from './shape.ts'
import type { DifferenceKind } from './verdict.ts'

/** A place in a response: `path` has `*` for each array index and counts differences, `concrete` has the indexes. */
export interface FindingLocation {
  readonly path: string
  readonly concrete: string
  /** Whether the contract declares it. */
  readonly declared: boolean
}

/** The value of a side that has no value at a place. */
export const absent: unique symbol = Symbol('absent')

export interface ValuePair {
  readonly native: unknown
  readonly core: unknown
}

/** A difference without a verdict, with all pairs of values that differ in this way. */
export interface Finding {
  readonly kind: DifferenceKind
  /** The first place. */
  readonly place: FindingLocation
  readonly shape: Shape | null
  readonly pairs: readonly ValuePair[]
}

export interface IdPair {
  readonly place: FindingLocation
  readonly shape: Shape
  readonly native: string
  readonly core: string
}

export interface Findings {
  /** Whether both sides satisfy the contract, so that values need not be validated again. */
  readonly areBothValid: boolean
  add(
    kind: DifferenceKind,
    place: FindingLocation,
    native: unknown,
    core: unknown,
    shape?: Shape | null,
  ): void
  /** Adds a finding with any number of pairs; `place` is the first of their places. */
  addFinding(finding: Finding): void
  /** Adds two different ids at the same place, for `compareIds`. */
  addIdPair(pair: IdPair): void
  /** Creates empty findings, to be merged with `take` or discarded. */
  createEmpty(): Findings
  merge(others: Findings): void
  list(): readonly Finding[]
  idPairs(): readonly IdPair[]
}

export const createFindings = (isValid = false): Findings => {
  const found = new Map<string, Finding & { readonly pairs: ValuePair[] }>()
  const ids: IdPair[] = []
  const gather = ({ kind, place, shape, pairs }: Finding) => {
    const key = `${kind} ${place.path}`
    const known = found.get(key)
    if (known) for (const pair of pairs) known.pairs.push(pair)
    else found.set(key, { kind, place, shape, pairs: [...pairs] })
  }
  return {
    areBothValid: isValid,
    add: (kind, place, native, core, shape = null) =>
      gather({ kind, place, shape, pairs: [{ native, core }] }),
    addFinding: gather,
    addIdPair: (pair) => {
      ids.push(pair)
    },
    createEmpty: () => createFindings(isValid),
    merge: (others) => {
      for (const finding of others.list()) gather(finding)
      for (const pair of others.idPairs()) ids.push(pair)
    },
    list: () => [...found.values()],
    idPairs: () => ids,
  }
}

// An undeclared key may contain user data, so only keys that look like identifiers are shown.
const maskKey = (key: string) => (/^[A-Za-z_][A-Za-z0-9_-]{0,31}$/.test(key) ? key : '?')

/** A place that is in no array, so that both paths are equal. */
export const locationAt = (path: string): FindingLocation => ({ path, concrete: path, declared: true })

export const body = locationAt('body')

export const fieldAt = (place: FindingLocation, key: string, declared: boolean): FindingLocation => {
  const name = declared ? key : maskKey(key)
  return {
    path: `${place.path}.${name}`,
    concrete: `${place.concrete}.${name}`,
    declared: place.declared && declared,
  }
}

export const elementAt = (place: FindingLocation, index: number): FindingLocation => ({
  path: `${place.path}.*`,
  concrete: `${place.concrete}.${index}`,
  declared: place.declared,
})

/** Compares the values of one location; passed to what compares elements, because values contain arrays. */
export type CompareValues = (
  found: Findings,
  declared: Shape | null,
  native: unknown,
  core: unknown,
  at: FindingLocation,
) => void
