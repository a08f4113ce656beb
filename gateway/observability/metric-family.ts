import type { BucketHistogram } from '#shared/bucket-histogram.ts'

type LabelValues = Readonly<Record<string, string | number>>

/** One value of a counter or a gauge. */
export interface MetricSample {
  readonly labels?: LabelValues
  readonly value: number
}

/** One histogram of a family. */
export interface HistogramSample {
  readonly labels?: LabelValues
  readonly histogram: BucketHistogram
}

interface FamilyText {
  readonly name: string
  /** A sentence. */
  readonly help: string
  readonly labels: readonly string[]
}

export interface ValueFamily extends FamilyText {
  readonly type: 'counter' | 'gauge'
  readonly collect: () => readonly MetricSample[] | Promise<readonly MetricSample[]>
}

export interface HistogramFamily extends FamilyText {
  readonly type: 'histogram'
  readonly collect: () => readonly HistogramSample[]
}

/** The samples of one name. They are read from counters of the gateway when they are collected, and never before. */
export type MetricFamily = ValueFamily | HistogramFamily

/** Formats families in the text format of Prometheus. */
export interface MetricsRegistry {
  register(families: readonly MetricFamily[]): void
  format(): string | Promise<string>
}

interface ListedSample {
  /** What the name of the family ends with. */
  readonly suffix: string
  readonly labels: LabelValues
  readonly value: number
}

/** Lists the cumulative buckets, the sum and the count of a histogram. */
export const listHistogram = ({ labels = {}, histogram }: HistogramSample): readonly ListedSample[] => {
  const { bounds, counts, count, sum } = histogram
  let cumulative = 0
  const buckets = bounds.map((bound, bucket) => {
    cumulative += counts[bucket] ?? 0
    return { suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: cumulative }
  })
  return [
    ...buckets,
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: count },
  ]
}

type FamilyOf<T extends ValueFamily['type']> = Omit<ValueFamily, 'type' | 'labels' | 'collect'> & {
  readonly type: T
}

const single = <T extends ValueFamily['type']>(family: FamilyOf<T>, read: () => number): ValueFamily => ({
  ...family,
  labels: [],
  collect: () => [{ value: read() }],
})

/** A counter without labels. */
export const countOf = (name: string, help: string, read: () => number) =>
  single({ name, help, type: 'counter' }, read)

/** A gauge without labels. */
export const gaugeOf = (name: string, help: string, read: () => number) =>
  single({ name, help, type: 'gauge' }, read)
