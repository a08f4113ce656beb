import type { Label } from '#contracts/route-table.ts'
import type { MetricFamily } from './metric-family.ts'

type LabelValues = Readonly<Record<string, string>>

/** Counts events that are rare, by labels with few values. */
export interface EventCounter {
  count(labels: LabelValues): void
  readonly family: MetricFamily
}

const createEventCounter = (name: string, help: string, labels: readonly string[]): EventCounter => {
  const samples = new Map<string, { readonly labels: LabelValues; value: number }>()
  return {
    count(values) {
      const id = labels.map((label) => values[label]).join(' ')
      const sample = samples.get(id) ?? { labels: values, value: 0 }
      sample.value += 1
      samples.set(id, sample)
    },
    family: { name, help, type: 'counter', labels, collect: () => [...samples.values()] },
  }
}

type ComparisonResult = 'equal' | 'regression' | 'critical' | 'transient' | 'not_comparable' | 'dropped'

/** Counts how native routes are compared, stopped and promoted by this instance. */
export const createNativeMetrics = () => {
  const comparisons = createEventCounter(
    'crossfade_comparisons_total',
    'Live comparisons of native with the core that this instance has made, and those that it dropped.',
    ['route', 'result'],
  )
  const stops = createEventCounter(
    'crossfade_automatic_stops_total',
    'Native routes that this instance has stopped because native was worse than the core.',
    ['route', 'cause', 'observer'],
  )
  const promotions = createEventCounter(
    'crossfade_promotions_total',
    'Steps of routes that this instance has performed because their gates permitted them.',
    ['route'],
  )
  return {
    countComparison: (route: Label, result: ComparisonResult) => comparisons.count({ route, result }),
    countStop: (route: Label, cause: string, observer: string) => stops.count({ route, cause, observer }),
    countPromotion: (route: Label) => promotions.count({ route }),
    families: [comparisons.family, stops.family, promotions.family],
  }
}

export type NativeMetrics = ReturnType<typeof createNativeMetrics>
