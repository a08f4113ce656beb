import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { countOf, gaugeOf } from '#gateway/observability/metric-family.ts'
import { startMetricExport } from '#gateway/observability/metrics-opentelemetry.ts'
import { createPromRegistry } from '#gateway/observability/metrics-prom-client.ts'
import { BucketHistogram } from '#shared/histogram.ts'
import { startTestCollector } from '#test/support/otlp/collector.ts'
import type { ExportedMetric } from '#test/support/otlp/read-metrics.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

const collector = await startTestCollector()
afterAll(() => collector.close())

const find = (metrics: readonly ExportedMetric[] | undefined, name: string) => {
  const found = metrics?.find((metric) => metric.name === name)
  if (!found) throw new Error(`no metric ${name}`)
  return found
}

const startExport = (intervalMs = 3_600_000) => {
  const registry = createPromRegistry()
  const log = createRecordingLog()
  const metricExport = startMetricExport({
    url: `${collector.url}/v1/metrics`,
    headers: { 'x-key': 'secret' },
    resource: { 'service.name': 'crossfade-gateway', 'deployment.environment.name': 'test' },
    instanceId: 'instance-1',
    intervalMs,
    registry,
    log,
  })
  return { registry, log, metricExport }
}

describe('exported metrics', () => {
  beforeEach(() => {
    collector.respond = (response) => void response.writeHead(200).end()
  })

  it('have the values that Prometheus gets, plus types, timestamps and attributes of the process', async () => {
    const { registry, metricExport } = startExport()
    const histogram = new BucketHistogram([0.1, 1])
    for (const seconds of [0.05, 0.5, 0.75, 10]) histogram.observe(seconds)
    registry.register([
      countOf('crossfade_things_total', 'Things.', () => 3),
      gaugeOf('crossfade_memory_bytes', 'Memory.', () => -1.5),
      gaugeOf('crossfade_unknown', 'Not known yet.', () => Number.NaN),
      {
        name: 'crossfade_request_duration_seconds',
        help: 'Durations.',
        type: 'histogram',
        labels: ['route', 'status'],
        collect: () => [{ labels: { route: 'tracks.list', status: 200 }, histogram }],
      },
    ])
    const before = Date.now()
    await metricExport.close(5000)
    const metrics = collector.metrics.at(-1)
    expect(collector.requests.at(-1)).toMatchObject({
      path: '/v1/metrics',
      headers: { 'x-key': 'secret', 'content-type': 'application/x-protobuf' },
    })
    const counter = find(metrics, 'crossfade_things_total')
    expect(counter).toMatchObject({
      type: 'sum',
      isMonotonic: true,
      isCumulative: true,
      description: 'Things.',
      points: [{ value: 3, attributes: {} }],
      resource: {
        'service.name': 'crossfade-gateway',
        'service.instance.id': 'instance-1',
        'deployment.environment.name': 'test',
      },
    })
    const [point] = counter.points
    expect(Math.abs((point?.startMs ?? 0) - performance.timeOrigin)).toBeLessThan(2)
    expect(point?.atMs).toBeGreaterThanOrEqual(before - 1)
    expect(find(metrics, 'crossfade_memory_bytes')).toMatchObject({
      type: 'gauge',
      unit: 'By',
      points: [{ value: -1.5 }],
    })
    expect(metrics?.map(({ name }) => name)).not.toContain('crossfade_unknown')
    expect(find(metrics, 'crossfade_request_duration_seconds')).toMatchObject({
      type: 'histogram',
      unit: 's',
      isCumulative: true,
      points: [
        {
          attributes: { route: 'tracks.list', status: '200' },
          histogram: { count: 4, sum: 11.3, counts: [1, 2, 1], bounds: [0.1, 1] },
        },
      ],
    })
  })

  it('include the process metrics', async () => {
    const { registry, metricExport } = startExport()
    globalThis.gc?.()
    const text = await registry.format()
    await metricExport.close(5000)
    const metrics = collector.metrics.at(-1)
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    expect(names).toContain('process_resident_memory_bytes')
    for (const { name } of metrics ?? []) expect(names).toContain(name)
    expect(find(metrics, 'process_cpu_seconds_total')).toMatchObject({ type: 'sum', isMonotonic: true })
    expect(find(metrics, 'process_resident_memory_bytes').points[0]?.value).toBeGreaterThan(1e6)
    for (const { type, points } of metrics ?? [])
      for (const { histogram } of points) {
        if (type !== 'histogram') continue
        expect(histogram?.counts).toHaveLength((histogram?.bounds.length ?? 0) + 1)
        expect(histogram?.counts.reduce((sum, count) => sum + count, 0)).toBe(histogram?.count)
        for (const count of histogram?.counts ?? []) expect(count).toBeGreaterThanOrEqual(0)
      }
  })

  it('are sent at each interval and when the process ends', async () => {
    const { registry, metricExport } = startExport(50)
    let things = 0
    registry.register([countOf('crossfade_sent_total', 'Things.', () => things)])
    const listValues = () =>
      collector.metrics.flatMap((metrics) =>
        metrics.filter(({ name }) => name === 'crossfade_sent_total').map(({ points }) => points[0]?.value),
      )
    await expect.poll(() => listValues().length).toBeGreaterThan(2)
    things = 7
    await metricExport.close(5000)
    expect(listValues().at(-1)).toBe(7)
    const { length } = listValues()
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(listValues()).toHaveLength(length)
  })

  it("that the collector rejects are counted, and logged once without the collector's response", async () => {
    collector.respond = (response) => void response.writeHead(400).end('the key secret is wrong')
    const { log, metricExport } = startExport(20)
    await expect.poll(() => metricExport.failed()).toBeGreaterThan(2)
    await metricExport.close(5000)
    expect(log.lines).toHaveLength(1)
    expect(log.lines).toMatchObject([
      { message: 'failed to export metrics', fields: { failure: { name: 'MetricsRejected', code: '400' } } },
    ])
    expect(JSON.stringify(log.lines)).not.toContain('secret')
  })

  it("are sent one request at a time, and delay the process's exit no longer than allowed", async () => {
    let waiting = 0
    collector.respond = () => {
      waiting += 1
    }
    const { metricExport } = startExport(20)
    await expect.poll(() => waiting).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(waiting).toBe(1)
    const startedAt = performance.now()
    await metricExport.close(300)
    expect(performance.now() - startedAt).toBeLessThan(2000)
  })

  it('never have an end time before their start time, even if the clock is set back', async () => {
    const { registry, metricExport } = startExport()
    registry.register([countOf('crossfade_back_total', 'Things.', () => 1)])
    vi.useFakeTimers({ toFake: ['Date'], now: performance.timeOrigin - 3_600_000 })
    await metricExport.close(5000)
    vi.useRealTimers()
    const [point] = find(collector.metrics.at(-1), 'crossfade_back_total').points
    expect(point?.atMs).toBe(point?.startMs)
  })
})
