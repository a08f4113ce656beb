import type { Declaration, Mutant } from './mutate.ts'

/** What the requests reached in a run with no mutant on: mutants by id, and declarations as `path#name`. */
export interface Coverage {
  /** What was reached while modules loaded. */
  readonly loaded: readonly string[]
  /** What each scenario's requests reached, by their labels. */
  readonly scenarios: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
}

interface Reach {
  readonly scenario: string
  readonly label: string
}

export interface AttributedMutant extends Mutant {
  readonly labels: readonly string[]
  readonly scenarios: readonly string[]
  /** Whether the mutant runs when its module loads. If so, it must be on from the start of the process. */
  readonly isStatic: boolean
}

const unique = <T>(items: readonly T[]) => [...new Set(items)]

const indexReaches = (coverage: Coverage) => {
  const reaches = new Map<string, Reach[]>()
  for (const [scenario, byLabel] of Object.entries(coverage.scenarios))
    for (const [label, points] of Object.entries(byLabel))
      for (const point of points) {
        const known = reaches.get(point)
        if (known) known.push({ scenario, label })
        else reaches.set(point, [{ scenario, label }])
      }
  return reaches
}

const closureOf = (roots: readonly string[], uses: ReadonlyMap<string, readonly string[]>) => {
  const found = new Set<string>()
  const pending = [...roots]
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (found.has(name)) continue
    found.add(name)
    pending.push(...(uses.get(name) ?? []))
  }
  return found
}

interface AttributionOptions {
  readonly mutants: readonly Mutant[]
  readonly declarations: readonly Declaration[]
  readonly coverage: Coverage
  readonly handlers: ReadonlyMap<string, string>
  readonly isCompared: (label: string) => boolean
}

/**
 * Maps each mutant to the routes whose requests run it. Code that runs at load time belongs to the routes of the code
 * that refers to it. Code that no request runs belongs to the routes whose handlers need it. Omits mutants that belong
 * to no compared route. In a run of one area, also omits code that only other areas' requests may run.
 */
export const attribute = ({
  mutants,
  declarations,
  coverage,
  handlers,
  isCompared,
}: AttributionOptions): AttributedMutant[] => {
  const reaches = indexReaches(coverage)
  const loaded = new Set(coverage.loaded)
  const uses = new Map(declarations.map((declaration) => [declaration.name, declaration.uses]))
  const users = new Map<string, string[]>()
  for (const { name, uses: used } of declarations)
    for (const use of used) users.set(use, [...(users.get(use) ?? []), name])
  const functions = new Set(declarations.flatMap(({ name, hasFunctions }) => (hasFunctions ? [name] : [])))
  const isRunOfAll = [...handlers.keys()].every(isCompared)
  const closures = new Map([...handlers].map(([label, name]) => [label, closureOf([name], uses)]))

  const reachesOf = (declaration: string, seen = new Set<string>()): readonly Reach[] => {
    const own = reaches.get(declaration)
    if (own) return own
    seen.add(declaration)
    // No request in this run calls this function, so no request needs what it refers to.
    if (functions.has(declaration) && !loaded.has(declaration)) return []
    return (users.get(declaration) ?? []).flatMap((user) => (seen.has(user) ? [] : reachesOf(user, seen)))
  }

  return mutants.flatMap((mutant): AttributedMutant[] => {
    const declaration = `${mutant.path}#${mutant.declaration}`
    const isStatic = loaded.has(mutant.id)
    const direct = (isStatic ? reachesOf(declaration) : (reaches.get(mutant.id) ?? [])).filter(({ label }) =>
      isCompared(label),
    )
    const labelsOf = (reached: readonly Reach[]) => unique(reached.map(({ label }) => label))
    if (direct.length > 0)
      return [
        {
          ...mutant,
          labels: labelsOf(direct),
          scenarios: unique(direct.map(({ scenario }) => scenario)),
          isStatic,
        },
      ]
    const needing = [...handlers.keys()].filter((label) => closures.get(label)?.has(declaration))
    // Code that no handler needs belongs to the pipeline.
    const isOwn = needing.length > 0 && needing.every(isCompared)
    if (!isOwn && !isRunOfAll) return []
    const near = labelsOf(reaches.get(declaration) ?? []).filter(isCompared)
    const labels = near.length > 0 ? near : needing
    return labels.length > 0 ? [{ ...mutant, labels, scenarios: [], isStatic }] : []
  })
}
