interface RouteTally {
  requests: number
  native: number
  fallbacks: number
  /** Responses with a 4xx or 5xx status, which no visit expects, and requests without a response. */
  failures: number
  readonly durationsMs: number[]
}

interface RecordedResponse {
  /** The label in `x-service-native-route`, or what was requested if there was no response. */
  readonly route: string
  readonly status: number | null
  readonly isNative: boolean
  readonly hasFallenBack: boolean
  readonly durationMs: number
}

const createRouteTally = (): RouteTally => ({
  requests: 0,
  native: 0,
  fallbacks: 0,
  failures: 0,
  durationsMs: [],
})

const medianOf = (values: readonly number[]) =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0

const formatShare = (part: number, whole: number) =>
  whole === 0 ? '0 %' : `${((100 * part) / whole).toFixed(1)} %`

const toCells = (route: string, tally: RouteTally) => [
  route,
  `${tally.requests}`,
  formatShare(tally.native, tally.requests),
  `${tally.fallbacks}`,
  `${tally.failures}`,
  `${medianOf(tally.durationsMs).toFixed(1)} ms`,
]

const routeHeader = ['route', 'requests', 'native', 'fallbacks', 'failed', 'median']
const statusHeader = ['status', 'requests', 'native', 'core']

/** Requests with one status. A request without a response counts as the core's. */
interface StatusTally {
  native: number
  core: number
}

const formatStatus = (status: number | null) => (status === null ? 'no response' : `${status}`)

const formatTable = (rows: readonly (readonly string[])[]) => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const formatCell = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
  return rows.map((row) => row.map(formatCell).join('  ').trimEnd()).join('\n')
}

export const createTally = () => {
  const routes = new Map<string, RouteTally>()
  const statuses = new Map<number | null, StatusTally>()
  // `no response` is sorted last.
  const listStatuses = () =>
    [...statuses].toSorted(([left], [right]) => (left ?? Number.MAX_VALUE) - (right ?? Number.MAX_VALUE))
  return {
    record({ route, status, isNative, hasFallenBack, durationMs }: RecordedResponse) {
      const hasFailed = status === null || status >= 400
      const ofStatus = statuses.get(status) ?? { native: 0, core: 0 }
      statuses.set(status, ofStatus)
      ofStatus[isNative ? 'native' : 'core'] += 1
      const tally = routes.get(route) ?? createRouteTally()
      routes.set(route, tally)
      tally.requests += 1
      tally.native += isNative ? 1 : 0
      tally.fallbacks += hasFallenBack ? 1 : 0
      tally.failures += hasFailed ? 1 : 0
      tally.durationsMs.push(durationMs)
    },
    summarize() {
      const sum = (field: 'requests' | 'native' | 'fallbacks' | 'failures') =>
        [...routes.values()].reduce((total, tally) => total + tally[field], 0)
      const requests = sum('requests')
      const byStatus = listStatuses().map(
        ([status, { native, core }]) => `${formatStatus(status)} ${native + core}`,
      )
      return [
        `${requests} requests (${byStatus.join(', ')})`,
        `${formatShare(sum('native'), requests)} native`,
        `${sum('fallbacks')} fallbacks`,
        `${sum('failures')} failed`,
      ].join(', ')
    },
    format: () =>
      [
        formatTable([routeHeader, ...[...routes].toSorted().map(([route, tally]) => toCells(route, tally))]),
        formatTable([
          statusHeader,
          ...listStatuses().map(([status, { native, core }]) => [
            formatStatus(status),
            `${native + core}`,
            ...(status === null ? ['', ''] : [`${native}`, `${core}`]),
          ]),
        ]),
      ].join('\n\n'),
  }
}

export type Tally = ReturnType<typeof createTally>
