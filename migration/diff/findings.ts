import type { Shape } from './shape.ts'
import type { DifferenceKind } from './verdict.ts'

/** Where a walk stands: the path by which differences are counted and the one that leads there. */
export interface FindingLocation {
  readonly path: string
  readonly concrete: string
  /** Whether the contract names it. */
  readonly declared: boolean
}

/** What a side has where it has nothing. */
export const absent: unique symbol = Symbol('absent')

export interface Pair {
  readonly native: unknown
  readonly core: unknown
}

/** A difference before it is judged, with all the pairs of values that differ so. */
export interface Finding {
  readonly kind: DifferenceKind
  /** The first of its places. */
  readonly place: FindingLocation
  readonly shape: Shape | null
  readonly pairs: readonly Pair[]
}

export interface IdPair {
  readonly place: FindingLocation
  readonly shape: Shape
  readonly native: string
  readonly core: string
}

export interface Findings {
  /** Whether both sides keep the contract, so that nothing has to be tried for its form once more. */
  readonly areInForm: boolean
  add(
    kind: DifferenceKind,
    place: FindingLocation,
    native: unknown,
    core: unknown,
    shape?: Shape | null,
  ): void
  /** The same difference at several places, of which the finding has the first. */
  gather(finding: Finding): void
  /** Two ids that stand at the same place without being equal. */
  pairIds(pair: IdPair): void
  /** Findings that may be taken or left. */
  attempt(): Findings
  take(others: Findings): void
  list(): readonly Finding[]
  idPairs(): readonly IdPair[]
}

export const createFindings = (areInForm = false): Findings => {
  const found = new Map<string, Finding & { readonly pairs: Pair[] }>()
  const ids: IdPair[] = []
  const gather = ({ kind, place, shape, pairs }: Finding) => {
    const key = `${kind} ${place.path}`
    const known = found.get(key)
    if (known) for (const pair of pairs) known.pairs.push(pair)
    else found.set(key, { kind, place, shape, pairs: [...pairs] })
  }
  return {
    areInForm,
    add: (kind, place, native, core, shape = null) =>
      gather({ kind, place, shape, pairs: [{ native, core }] }),
    gather,
    pairIds: (pair) => {
      ids.push(pair)
    },
    attempt: () => createFindings(areInForm),
    take: (others) => {
      for (const finding of others.list()) gather(finding)
      for (const pair of others.idPairs()) ids.push(pair)
    },
    list: () => [...found.values()],
    idPairs: () => ids,
  }
}

// A key that the contract does not name may itself be a value.
const keyOf = (key: string) => (/^[A-Za-z_][A-Za-z0-9_-]{0,31}$/.test(key) ? key : '?')

/** A place that is what it is counted by: no array leads to it. */
export const locationAt = (path: string): FindingLocation => ({ path, concrete: path, declared: true })

export const body = locationAt('body')

export const fieldAt = (place: FindingLocation, key: string, declared: boolean): FindingLocation => {
  const name = declared ? key : keyOf(key)
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
