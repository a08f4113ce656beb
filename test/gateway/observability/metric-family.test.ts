import { expect, it } from 'vitest'
import { createTextRegistry, type MetricFamily } from '#gateway/observability/metric-family.ts'
import { createPromRegistry } from '#gateway/observability/metrics-prom-client.ts'
import { BucketHistogram } from '#shared/histogram.ts'
import { parseMetrics } from '#test/support/metrics.ts'

const histogram = new BucketHistogram([0.1, 1])
for (const value of [0.05, 0.5, 3]) histogram.observe(value)

const families: readonly MetricFamily[] = [
  { name: 'a_total', help: 'A counter.', type: 'counter', labels: [], collect: () => [{ value: 3 }] },
  {
    name: 'b',
    help: 'A gauge.',
    type: 'gauge',
    labels: ['name'],
    collect: async () => [{ labels: { name: 'x' }, value: 0.5 }],
  },
  {
    name: 'c_seconds',
    help: 'A histogram.',
    type: 'histogram',
    labels: ['name'],
    collect: () => [{ labels: { name: 'x' }, histogram }],
  },
]

it('metric families are formatted the same with and without the process metrics', async () => {
  const formatted = await Promise.all(
    [createTextRegistry(), createPromRegistry()].map(async (registry) => {
      registry.register(families)
      return parseMetrics(await registry.format())
    }),
  )
  for (const scrape of formatted)
    expect(families.map(({ name }) => scrape.get(name)?.samples)).toEqual([
      [{ name: 'a_total', labels: {}, value: 3 }],
      [{ name: 'b', labels: { name: 'x' }, value: 0.5 }],
      [
        { name: 'c_seconds_bucket', labels: { name: 'x', le: '0.1' }, value: 1 },
        { name: 'c_seconds_bucket', labels: { name: 'x', le: '1' }, value: 2 },
        { name: 'c_seconds_bucket', labels: { name: 'x', le: '+Inf' }, value: 3 },
        { name: 'c_seconds_sum', labels: { name: 'x' }, value: 3.55 },
        { name: 'c_seconds_count', labels: { name: 'x' }, value: 3 },
      ],
    ])
})

it('label values are escaped', async () => {
  const registry = createTextRegistry()
  const collect = () => [{ labels: { name: 'a"b\\c\nd' }, value: 1 }]
  registry.register([{ name: 'b', help: 'A gauge.', type: 'gauge', labels: ['name'], collect }])
  expect(await registry.format()).toContain('b{name="a\\"b\\\\c\\nd"} 1\n')
})

it('a label that its metric family does not declare is rejected', async () => {
  const registry = createPromRegistry()
  const collect = () => [{ labels: { other: 'x' }, value: 1 }]
  registry.register([{ name: 'b', help: 'A gauge.', type: 'gauge', labels: ['name'], collect }])
  await expect(registry.format()).rejects.toThrow('other')
})
