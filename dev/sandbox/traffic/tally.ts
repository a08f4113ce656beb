interface RecordedResponse {
  /** The label in `x-service-native-route`, or what was requested if there was no response. */
  readonly route: string
  readonly status: number | null
  readonly isNative: boolean
  readonly hasFallenBack: boolean
  readonly durationMs: number
}

type Responses = readonly RecordedResponse[]

const countNative = (responses: Responses) => responses.filter(({ isNative }) => isNative).length
const countFallbacks = (responses: Responses) => responses.filter(({ hasFallenBack }) => hasFallenBack).length
/** Counts responses with a 4xx or 5xx status, which no visit expects, and requests without a response. */
const countFailures = (responses: Responses) =>
  responses.filter(({ status }) => status === null || status >= 400).length

const medianOf = (values: readonly number[]) =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0

const formatShare = (part: number, whole: number) =>
  whole === 0 ? '0 %' : `${((100 * part) / whole).toFixed(1)} %`

const formatStatus = (status: number | null) => (status === null ? 'no response' : `${status}`)

const formatTable = (rows: readonly (readonly string[])[]) => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const formatCell = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
  return rows.map((row) => row.map(formatCell).join('  ').trimEnd()).join('\n')
}

const toRouteRow = ([route, responses]: readonly [string, Responses]) => [
  route,
  `${responses.length}`,
  formatShare(countNative(responses), responses.length),
  `${countFallbacks(responses)}`,
  `${countFailures(responses)}`,
  `${medianOf(responses.map(({ durationMs }) => durationMs)).toFixed(1)} ms`,
]

const toStatusRow = ([status, responses]: readonly [number | null, Responses]) => {
  const native = countNative(responses)
  const sides = status === null ? ['', ''] : [`${native}`, `${responses.length - native}`]
  return [formatStatus(status), `${responses.length}`, ...sides]
}

export const createTally = () => {
  const responses: RecordedResponse[] = []
  const listRoutes = () =>
    [...Map.groupBy(responses, ({ route }) => route)].toSorted(([left], [right]) => (left < right ? -1 : 1))
  // `no response` is sorted last.
  const listStatuses = () =>
    [...Map.groupBy(responses, ({ status }) => status)].toSorted(
      ([left], [right]) => (left ?? Number.MAX_VALUE) - (right ?? Number.MAX_VALUE),
    )
  return {
    record(response: RecordedResponse) {
      responses.push(response)
    },
    summarize() {
      const byStatus = listStatuses().map(([status, { length }]) => `${formatStatus(status)} ${length}`)
      return [
        `${responses.length} requests (${byStatus.join(', ')})`,
        `${formatShare(countNative(responses), responses.length)} native`,
        `${countFallbacks(responses)} fallbacks`,
        `${countFailures(responses)} failed`,
      ].join(', ')
    },
    format: () =>
      [
        formatTable([
          ['route', 'requests', 'native', 'fallbacks', 'failed', 'median'],
          ...listRoutes().map(toRouteRow),
        ]),
        formatTable([['status', 'requests', 'native', 'core'], ...listStatuses().map(toStatusRow)]),
      ].join('\n\n'),
  }
}

export type Tally = ReturnType<typeof createTally>
