import { describe, expect, it } from 'vitest'
import { createPromRegistry } from '#gateway/adapters/metrics-prom-client.ts'
import { createProcessMetrics } from '#gateway/adapters/process-metrics-prom-client.ts'
import { countOf, gaugeOf } from '#gateway/observability/metric-family.ts'
import { BucketHistogram } from '#shared/bucket-histogram.ts'
import { parseMetrics } from '#test/support/metrics.ts'

/** What a process reports whose counts, gauges and observations are all `value`. */
const report = (value: number) => {
  const registry = createPromRegistry()
  const histogram = new BucketHistogram([1, 10])
  histogram.observe(value)
  registry.register([
    countOf('requests_total', 'Requests.', () => value),
    gaugeOf('in_flight', 'In flight.', () => value),
    gaugeOf('epoch', 'Epoch.', () => value, 'min'),
    gaugeOf('stale', 'Stale.', () => value, 'max'),
    {
      name: 'seconds',
      help: 'Seconds.',
      type: 'histogram',
      labels: [],
      collect: () => [{ histogram }],
    },
  ])
  return registry.list()
}

const readValues = (text: string) => {
  const families = parseMetrics(text)
  const findValueOf = (family: string, name = family) =>
    families.get(family)?.samples.find((sample) => sample.name === name)?.value
  return {
    requests: findValueOf('requests_total'),
    inFlight: findValueOf('in_flight'),
    epoch: findValueOf('epoch'),
    stale: findValueOf('stale'),
    observations: findValueOf('seconds', 'seconds_count'),
    sum: findValueOf('seconds', 'seconds_sum'),
  }
}

describe('the metrics of several processes', () => {
  it('are summed, or are the lowest or highest value', async () => {
    const metrics = createProcessMetrics()
    metrics.record(1, await report(3))
    metrics.record(2, await report(5))
    expect(readValues(await metrics.format(new Set([1, 2])))).toEqual({
      requests: 8,
      inFlight: 8,
      epoch: 3,
      stale: 5,
      observations: 2,
      sum: 8,
    })
  })

  it('include the last counts of a process that does not respond, and nothing else of it', async () => {
    const metrics = createProcessMetrics()
    metrics.record(1, await report(3))
    metrics.record(2, await report(5))
    expect(readValues(await metrics.format(new Set([2])))).toEqual({
      requests: 8,
      inFlight: 5,
      epoch: 5,
      stale: 5,
      observations: 2,
      sum: 8,
    })
  })

  it('keep the counts of all processes that have exited', async () => {
    const metrics = createProcessMetrics()
    for (const pid of [1, 2, 3]) {
      metrics.record(pid, await report(5))
      metrics.recordExit(pid)
      if (pid === 1) await metrics.format(new Set())
    }
    metrics.record(4, await report(1))
    for (let scrape = 0; scrape < 2; scrape++)
      expect(readValues(await metrics.format(new Set([4])))).toMatchObject({
        requests: 16,
        inFlight: 1,
        observations: 4,
        sum: 16,
      })
  })
})
