import { listCode, logsAndMetricsPage, readTables } from './logs-and-metrics-page.ts'

export interface DocumentedMetric {
  readonly name: string
  readonly type: string
  readonly labels: readonly string[]
  /** The processes that have it: `gateway`, `jobs`, `Workers`. */
  readonly places: readonly string[]
}

/** What the table of labels in docs/logs-and-metrics.md has in code for each label. */
export const readDocumentedLabels = (): ReadonlyMap<string, readonly string[]> =>
  new Map(
    readTables('| label | values |').flatMap(([names = '', values = '']) =>
      listCode(names).map((name): [string, readonly string[]] => [name, listCode(values)]),
    ),
  )

/** The table of metrics in docs/logs-and-metrics.md, which a test compares with scrapes of every process. */
export const readDocumentedMetrics = (): readonly DocumentedMetric[] => {
  const rows = logsAndMetricsPage.matchAll(/^\| `(\w+)` \| (counter|gauge|histogram) \| (.*?) \| (.*?) \|/gm)
  return [...rows].map(([, name = '', type = '', names = '', places = '']) => ({
    name,
    type,
    labels: listCode(names),
    places: places.split(', '),
  }))
}

/** The labels of every series by the name that an expression uses, with those that Prometheus adds. */
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
