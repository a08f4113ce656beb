import { listCode, logsAndMetricsPage, readTables } from './logs-and-metrics-page.ts'

export interface DocumentedMetric {
  readonly name: string
  readonly type: string
  readonly labels: readonly string[]
  /** The processes that have the metric: `gateway`, `jobs`, `Workers`. */
  readonly places: readonly string[]
}

/** Reads the labels table in docs/logs-and-metrics.md. Returns each label's values, but only those written as code. */
export const readDocumentedLabels = (): ReadonlyMap<string, readonly string[]> =>
  new Map(
    readTables('| label | values |').flatMap(([names = '', values = '']) =>
      listCode(names).map((name): [string, readonly string[]] => [name, listCode(values)]),
    ),
  )

export const readDocumentedMetrics = (): readonly DocumentedMetric[] => {
  const rows = logsAndMetricsPage.matchAll(/^\| `(\w+)` \| (counter|gauge|histogram) \| (.*?) \| (.*?) \|/gm)
  return [...rows].map(([, name = '', type = '', names = '', places = '']) => ({
    name,
    type,
    labels: listCode(names),
    places: places.split(', '),
  }))
}

/** Reads the labels of every series, including those that Prometheus adds, by the series name that expressions use. */
export const readDocumentedSeries = (): ReadonlyMap<string, readonly string[]> => {
  const added = ['instance', 'job', 'environment']
  return new Map(
    readDocumentedMetrics().flatMap(({ name, type, labels }): [string, readonly string[]][] =>
      type === 'histogram'
        ? [
            [`${name}_bucket`, [...labels, ...added, 'le']],
            [`${name}_sum`, [...labels, ...added]],
            [`${name}_count`, [...labels, ...added]],
          ]
        : [[name, [...labels, ...added]]],
    ),
  )
}
