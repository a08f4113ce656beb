import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface DocumentedMetric {
  readonly name: string
  readonly type: string
  readonly labels: readonly string[]
  /** The processes that have it: `gateway`, `jobs`, `Workers`. */
  readonly places: readonly string[]
}

/** The table of metrics in docs/operations.md, which a test compares with scrapes of every process. */
export const readDocumentedMetrics = (): readonly DocumentedMetric[] => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8')
  const rows = page.matchAll(/^\| `(\w+)` \| (counter|gauge|histogram) \| (.*?) \| (.*?) \|/gm)
  return [...rows].map(([, name = '', type = '', names = '', places = '']) => ({
    name,
    type,
    labels: [...names.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
    places: places.split(', '),
  }))
}

/** The labels of every series by the name that an expression uses, with those that Prometheus adds. */
export const readDocumentedSeries = (): ReadonlyMap<string, readonly string[]> => {
  const added = ['instance', 'job']
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
