import type { BucketHistogram } from '#shared/histogram.ts'

export type LabelValues = Readonly<Record<string, string | number>>

interface MetricSample {
  readonly labels?: LabelValues
  readonly value: number
}

export interface HistogramSample {
  readonly labels?: LabelValues
  readonly histogram: Pick<BucketHistogram, 'bounds' | 'counts' | 'count' | 'sum'>
}

interface FamilyText {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
}

export interface ValueFamily extends FamilyText {
  readonly type: 'counter' | 'gauge'
  readonly collect: () => readonly MetricSample[] | Promise<readonly MetricSample[]>
}

interface HistogramFamily extends FamilyText {
  readonly type: 'histogram'
  readonly collect: () => readonly HistogramSample[]
}

/** A metric and its samples, which are read from the gateway's counters only on collection. */
export type MetricFamily = ValueFamily | HistogramFamily

const createSingle =
  (type: ValueFamily['type']) =>
  (name: string, help: string, read: () => number): ValueFamily => ({
    name,
    help,
    type,
    labels: [],
    collect: () => [{ value: read() }],
  })

export const countOf = createSingle('counter')
export const gaugeOf = createSingle('gauge')

const escapeText = (value: string | number) =>
  String(value).replace(/[\\"\n]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`))

const formatSample = (name: string, labels: LabelValues, value: number) => {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeText(text)}"`)
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`
}

const formatHistogram = (name: string, labels: LabelValues, histogram: HistogramSample['histogram']) => {
  const { bounds, counts, count, sum } = histogram
  let cumulative = 0
  const buckets = bounds.map((bound, bucket) => {
    cumulative += counts[bucket] ?? 0
    return formatSample(`${name}_bucket`, { ...labels, le: bound }, cumulative)
  })
  return [
    ...buckets,
    formatSample(`${name}_bucket`, { ...labels, le: '+Inf' }, count),
    formatSample(`${name}_sum`, labels, sum),
    formatSample(`${name}_count`, labels, count),
  ]
}

const formatFamily = async ({ name, help, type, labels: known, collect }: MetricFamily) => {
  const lines = (await collect()).flatMap((sample) => {
    const { labels = {} } = sample
    const stray = Object.keys(labels).find((label) => !known.includes(label))
    if (stray !== undefined) throw new Error(`${name} has no label ${stray}`)
    return 'histogram' in sample
      ? formatHistogram(name, labels, sample.histogram)
      : formatSample(name, labels, sample.value)
  })
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
}

export type CollectedFamily = Pick<FamilyText, 'name' | 'help'> &
  (
    | { readonly type: ValueFamily['type']; readonly samples: readonly MetricSample[] }
    | { readonly type: 'histogram'; readonly samples: readonly HistogramSample[] }
  )

const collectFamily = async (family: MetricFamily): Promise<CollectedFamily> => {
  const { name, help } = family
  return family.type === 'histogram'
    ? { name, help, type: family.type, samples: family.collect() }
    : { name, help, type: family.type, samples: await family.collect() }
}

export interface MetricsRegistry {
  register(families: readonly MetricFamily[]): void
  format(): Promise<string>
  collect(): Promise<readonly CollectedFamily[]>
}

export const createTextRegistry = (): MetricsRegistry => {
  const registered: MetricFamily[] = []
  return {
    register: (families) => void registered.push(...families),
    format: async () => (await Promise.all(registered.map(formatFamily))).join(''),
    collect: () => Promise.all(registered.map(collectFamily)),
  }
}
