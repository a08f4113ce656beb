import type { Label } from '#contracts/route-table.ts'
import { isTwoSided, labels } from '#contracts/shared/row.ts'
import type { ExplainedInstance } from '../explain-route.ts'
import { formatStage } from '../format-state.ts'
import { areaOf } from '../route-scope.ts'
import { type CountedUsage, summarizeUsage } from '../usage/summarize-usage.ts'
import { findHolderAt, findKillerAt, isDone, type StateHistory } from './state-history.ts'

export type ReportingInstance = Pick<ExplainedInstance, 'hasHandler' | 'findMissingSettings'>

interface RemainingInput {
  readonly history: StateHistory
  readonly usage: readonly CountedUsage[] | null
  readonly instance: ReportingInstance
  readonly at: number
}

/** Creates a function that looks up how many of a route's requests the core served (null if unknown), and why. */
const createUsageLookup = (usage: RemainingInput['usage']) => {
  if (usage === null) return () => ({ requests: null, causes: [] })
  const byLabel = new Map(summarizeUsage(usage, []).map((route) => [route.label, route]))
  return (label: string) => {
    const { requests, causes } = byLabel.get(label) ?? { requests: 0, causes: [] }
    return {
      requests,
      causes: causes
        .filter(({ cause }) => cause !== 'shadow')
        .map((each) => ({ cause: each.cause, requests: each.requests })),
    }
  }
}

const listObstacles = ({ history, instance, at }: RemainingInput, label: Label): string[] => {
  const killer = findKillerAt(history, label, at)
  const holder = findHolderAt(history, label, at)
  const missing = instance.findMissingSettings(label)
  const lacksHandler = missing === undefined && !instance.hasHandler(label)
  return [
    ...(killer === null ? [] : [`killed by ${killer}`]),
    ...(holder === null ? [] : [`held by ${holder}`]),
    ...(missing === undefined ? [] : [missing]),
    ...(lacksHandler ? ['no handler'] : []),
  ]
}

const byRequests = (
  left: { readonly label: string; readonly requests: number | null },
  right: { readonly label: string; readonly requests: number | null },
) => (right.requests ?? 0) - (left.requests ?? 0) || (left.label < right.label ? -1 : 1)

const sumRequests = (routes: readonly { readonly requests: number | null }[]) =>
  routes.reduce<number | null>(
    (sum, { requests }) => (sum === null || requests === null ? null : sum + requests),
    0,
  )

/**
 * Lists what still depends on the core: the rows that the core serves, by area; then native rows for which it also
 * served requests, for example after fallbacks; then its requests for paths that are not in the route table.
 */
export const listRemaining = (input: RemainingInput) => {
  const { history, at } = input
  const findUsage = createUsageLookup(input.usage)
  const describe = (label: Label) => ({
    label,
    state: formatStage(history.stateAt(label, at)),
    ...findUsage(label),
    obstacles: listObstacles(input, label),
  })
  const remaining = labels.filter((label) => !isDone(history, label, at)).map(describe)
  const areas = [...Map.groupBy(remaining, ({ label }) => areaOf(label))].map(([area, routes]) => ({
    area,
    requests: sumRequests(routes),
    routes: routes.toSorted(byRequests),
  }))
  const done = labels.filter((label) => isTwoSided(label) && isDone(history, label, at)).map(describe)
  return {
    rows: remaining.length,
    areas: areas.toSorted((left, right) =>
      byRequests({ ...left, label: left.area }, { ...right, label: right.area }),
    ),
    nativeWithCoreRequests: done.filter(({ requests }) => (requests ?? 0) > 0).toSorted(byRequests),
    unmatchedRequests: findUsage('unmatched').requests,
  }
}
