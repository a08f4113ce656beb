import { formatCount, formatCountOf } from '#shared/format-quantity.ts'

/**
 * Why the core served a request:
 * - `state`: the route's state, a path outside the route table, or an instance that cannot serve the route natively.
 * - `bucket`: the account or link is outside native's percentage.
 * - `override`: an override for the account.
 * - `killed`: the route is killed.
 * - `stale`: the routing state could not be read for five seconds, or was never read.
 * - `breaker`: native was not tried, because it is paused or stopped for the route.
 * - `fallback`: native was tried and could not serve it.
 * - `shadow`: the gateway itself asked the core, to compare responses.
 */
export const coreCauses = [
  'state',
  'bucket',
  'override',
  'killed',
  'stale',
  'breaker',
  'fallback',
  'shadow',
] as const
export type CoreCause = (typeof coreCauses)[number]

export interface CountedUsage {
  readonly label: string
  readonly cause: string
  readonly requests: number
  readonly lastAt: string
}

const isCause = (text: string): text is CoreCause => coreCauses.some((cause) => cause === text)

const laterOf = (left: string | null, right: string) =>
  left === null || Date.parse(right) > Date.parse(left) ? right : left

const sumCauses = (rows: readonly CountedUsage[], recent: ReadonlySet<CountedUsage>) =>
  [...Map.groupBy(rows, ({ cause }) => cause)].flatMap(([cause, ofCause]) =>
    isCause(cause)
      ? [
          {
            cause,
            /** In the last 15 days. */
            requests: ofCause.reduce((sum, row) => sum + (recent.has(row) ? row.requests : 0), 0),
            lastAt: new Date(Math.max(...ofCause.map(({ lastAt }) => Date.parse(lastAt)))).toISOString(),
          },
        ]
      : [],
  )

// Sorts by requests, most first. Ties must not depend on the database's order.
const orderByRequests =
  <T extends { readonly requests: number }>(nameOf: (item: T) => string) =>
  (left: T, right: T) =>
    right.requests - left.requests || (nameOf(left) < nameOf(right) ? -1 : 1)

/** Summarizes the core's requests for one route, or for all paths that are not in the route table. */
const summarize = (label: string, rows: readonly CountedUsage[], recent: ReadonlySet<CountedUsage>) => {
  const causes = sumCauses(rows, recent)
  const ofClients = causes.filter(({ cause }) => cause !== 'shadow')
  const count = (counted: typeof causes) => counted.reduce((sum, { requests }) => sum + requests, 0)
  return {
    label,
    /** Client requests in the last 15 days, not counting the gateway's own. */
    requests: count(ofClients),
    shadowRequests: count(causes) - count(ofClients),
    /** The last client request; null if the core has served none since recording began. */
    lastAt: ofClients.reduce<string | null>((last, { lastAt }) => laterOf(last, lastAt), null),
    causes: causes.toSorted(orderByRequests(({ cause }) => cause)),
  }
}

/** Groups counts by route: the `recent` ones, from the last 15 days, and those from `before`. */
export const summarizeUsage = (recent: readonly CountedUsage[], before: readonly CountedUsage[]) => {
  const recentRows = new Set(recent)
  return [...Map.groupBy([...recent, ...before], ({ label }) => label)]
    .map(([label, rows]) => summarize(label, rows, recentRows))
    .toSorted(orderByRequests((route) => route.label))
}

export const invisibleCallers = 'Not counted: callers who bypass the gateway, and requests through Workers.'

export const explainUsage = (routes: ReturnType<typeof summarizeUsage>): readonly string[] => {
  const needed = routes.filter(({ requests }) => requests > 0)
  const lines = needed.map(({ label, requests, causes }) => {
    const list = causes
      .filter((each) => each.cause !== 'shadow' && each.requests > 0)
      .map((each) => `${each.cause} ${formatCount(each.requests)}`)
    return `${label}: ${formatCountOf(requests, 'request')} in 15 days (${list.join(', ')}).`
  })
  return [...(lines.length === 0 ? ['The core has served no client in 15 days.'] : lines), invisibleCallers]
}
