import {
  bytesIn,
  doubleIn,
  type Message,
  messagesIn,
  numberIn,
  packedIn,
  readMessage,
  textIn,
} from './protobuf.ts'
import { type ExportedSpan, readAttributes } from './read-spans.ts'

interface ExportedPoint {
  readonly attributes: ExportedSpan['attributes']
  readonly startMs: number
  readonly atMs: number
  /** For a sum or a gauge. */
  readonly value?: number
  /** For a histogram. */
  readonly histogram?: {
    readonly count: number
    readonly sum: number
    readonly counts: readonly number[]
    readonly bounds: readonly number[]
  }
}

export interface ExportedMetric {
  readonly name: string
  readonly description: string
  readonly unit: string
  readonly type: 'gauge' | 'sum' | 'histogram'
  readonly isMonotonic: boolean
  readonly isCumulative: boolean
  readonly points: readonly ExportedPoint[]
  readonly resource: ExportedSpan['attributes']
}

const readTime = (point: Message, field: number) => numberIn(point, field) / 1e6

const readNumberPoint = (point: Message): ExportedPoint => ({
  attributes: readAttributes(point, 7),
  startMs: readTime(point, 2),
  atMs: readTime(point, 3),
  value: doubleIn(point, 4),
})

const readHistogramPoint = (point: Message): ExportedPoint => ({
  attributes: readAttributes(point, 9),
  startMs: readTime(point, 2),
  atMs: readTime(point, 3),
  histogram: {
    count: numberIn(point, 4),
    sum: doubleIn(point, 5),
    counts: packedIn(point, 6, 'fixed64'),
    bounds: packedIn(point, 7, 'double'),
  },
})

// The fields of `Metric` in opentelemetry/proto/metrics/v1/metrics.proto.
const types = [
  ['gauge', 5],
  ['sum', 7],
  ['histogram', 9],
] as const
const cumulative = 2

const readMetric = (metric: Message, resource: ExportedSpan['attributes']): ExportedMetric => {
  const [type, field] = types.find(([, number]) => metric.has(number)) ?? ['gauge', 0]
  const [data = new Map()] = messagesIn(metric, field)
  return {
    name: textIn(metric, 1),
    description: textIn(metric, 2),
    unit: textIn(metric, 3),
    type,
    isMonotonic: numberIn(data, 3) === 1,
    isCumulative: numberIn(data, 2) === cumulative,
    points: messagesIn(data, 1).map(type === 'histogram' ? readHistogramPoint : readNumberPoint),
    resource,
  }
}

/** Reads the metrics in an OTLP `ExportMetricsServiceRequest`. Throws if it is malformed. */
export const readMetrics = (body: Buffer): ExportedMetric[] =>
  bytesIn(readMessage(body), 1)
    .map(readMessage)
    .flatMap((resourceMetrics) => {
      const resource = Object.assign({}, ...messagesIn(resourceMetrics, 1).map((it) => readAttributes(it, 1)))
      return messagesIn(resourceMetrics, 2)
        .flatMap((scopeMetrics) => messagesIn(scopeMetrics, 2))
        .map((metric) => readMetric(metric, resource))
    })
