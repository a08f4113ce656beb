import { beforeAll, describe, expect, it } from 'vitest'
import { labels } from '#contracts/shared/row.ts'
import { startJobsProcess } from '#dev/start/start-child.ts'
import { createTextRegistry } from '#gateway/observability/metric-family.ts'
import { createNativeMetrics } from '#gateway/observability/routing-metrics.ts'
import { readDocumentedLabels, readDocumentedMetrics } from '#test/support/documented-metrics.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { findValue, parseMetrics, type ScrapedFamily } from '#test/support/metrics.ts'
import { requestAt } from '#test/support/request-at.ts'
import { startTestWorker } from '#test/support/worker.ts'

const documented = readDocumentedMetrics()

const reasons = /^(?:static|split|targeting_match|disabled|stale|breaker)$/
const fallbackReasons = /^(?:database|authentication|timeout|not_ported|bug|breaker|earlier_attempt)$/
const queues = [
  ...[
    'process-version',
    'check-asset',
    'dispatch-analysis',
    'import-stems',
    'send-invitation',
    'notify-operators',
  ],
  'lost-jobs',
]
const results = [
  ...['equal', 'regression', 'critical', 'transient', 'not_comparable', 'dropped'],
  ...['done', 'failed', 'released', 'completed'],
]
const labelValues = readDocumentedLabels()
const isStated = (label: string) => (text: string) => labelValues.get(label)?.includes(text) ?? false

/** For each label: whether a text is one of the values that the page allows. */
const isOfSet: Readonly<Record<string, (text: string) => boolean>> = {
  route: (text) => ['probe', 'page', 'unmatched', ...labels].includes(text),
  runtime: isStated('runtime'),
  fallback: isStated('fallback'),
  reason: (text) => reasons.test(text),
  fallbackReason: (text) => fallbackReasons.test(text),
  status: (text) => /^[1-9]\d\d$/.test(text),
  breaker: (text) => ['core', ...labels].includes(text),
  endpoint: (text) => /^[\w.-]+:\d+$/.test(text),
  lane: isStated('lane'),
  pool: isStated('pool'),
  result: isStated('result'),
  cause: (text) => ['errors', 'slowness', 'rejections', 'mismatches', 'critical'].includes(text),
  observer: (text) => ['instance', 'fleet'].includes(text),
  queue: isStated('queue'),
  state: isStated('state'),
  version: (text) => /^\d+\.\d+\.\d+$/.test(text),
  build: (text) => /^[0-9a-f]{12}$/.test(text),
  node: (text) => /^\d+\.\d+\.\d+$/.test(text),
  kind: isStated('kind'),
  work: isStated('work'),
}

const listStrayLabels = (families: ReadonlyMap<string, ScrapedFamily>) =>
  [...families.values()].flatMap(({ type, samples }) =>
    samples.flatMap(({ name, labels }) =>
      Object.entries(labels)
        .filter(([label, text]) =>
          type === 'histogram' && label === 'le' ? !/^(?:[\d.]+|\+Inf)$/.test(text) : !isOfSet[label]?.(text),
        )
        .map(([label, text]) => `${name}{${label}="${text}"}`),
    ),
  )

const core = startTestGateway({ core: 'recording', storage: true })
const worker = startTestWorker(core)

describe.each(['gateway', 'jobs', 'Workers'])('the metrics of the process %s', (place) => {
  let families: ReadonlyMap<string, ScrapedFamily>

  const scrapeJobs = async () => {
    const module = new URL(import.meta.resolve('#bin/jobs.ts'))
    const child = await startJobsProcess('the jobs', module, { ...core.environment, LOG_LEVEL: 'silent' })
    const { body } = await requestAt(child.adminUrl ?? '', 'GET', '/metrics')
    await child.stop()
    return body
  }

  const scrapeGateway = async () => {
    const account = await core.signUp()
    for (const path of ['/v1/libraries', '/v1/tracks', '/v1/unknown']) await account.get(path)
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/unknown']) await core.request('GET', path)
    return (await core.requestAdmin('GET', '/metrics')).body
  }

  const scrapeWorkers = async () =>
    (await worker.request('GET', '/metrics', { token: core.settings.INTERNAL_TOKEN ?? '' })).body

  beforeAll(async () => {
    const scrape = { gateway: scrapeGateway, jobs: scrapeJobs, Workers: scrapeWorkers }[place]
    families = parseMetrics(await scrape?.())
  }, 60_000)

  it('are exactly those that docs/logs-and-metrics.md lists for it', () => {
    const expected = documented.filter(({ places }) => places.includes(place)).map(({ name }) => name)
    expect([...families.keys()].sort()).toEqual(expected.sort())
  })

  it('have a description and the documented type', () => {
    for (const { name, type } of documented.filter(({ name }) => families.has(name)))
      expect([name, families.get(name)]).toMatchObject([name, { type, help: expect.stringMatching(/\w/) }])
  })

  it('have only documented labels and values', () => {
    for (const { name, labels } of documented)
      for (const sample of families.get(name)?.samples ?? [])
        expect([...labels, 'le'], sample.name).toEqual(expect.arrayContaining(Object.keys(sample.labels)))
    expect(listStrayLabels(families)).toEqual([])
  })
})

it('the documented label values include those that do not appear in the scrapes above', () => {
  expect(Object.fromEntries(labelValues)).toMatchObject({
    runtime: ['native', 'proxy'],
    fallback: ['0', '1'],
    lane: ['requests', 'uploads', 'asks'],
    pool: ['requests', 'control', 'jobs', 'queues'],
    queue: expect.arrayContaining(queues),
    result: expect.arrayContaining(results),
    state: ['waiting', 'retrying', 'active', 'done', 'failed'],
    kind: ['major', 'minor', 'incremental', 'weakcb'],
  })
})

it('the metrics count probes and pages separately, and other requests that match no route as unmatched', async () => {
  const count = async (route: string) => {
    const { body } = await core.requestAdmin('GET', '/metrics')
    const samples = parseMetrics(body).get('crossfade_request_duration_seconds')?.samples ?? []
    const counts = samples.filter(({ name, labels }) => name.endsWith('_count') && labels.route === route)
    return counts.reduce((sum, { value }) => sum + value, 0)
  }
  const cases = [
    ['/healthz', 'probe'],
    ['/readyz', 'probe'],
    ['/openapi.json', 'page'],
    ['/unknown', 'unmatched'],
    ['/v1/unknown', 'unmatched'],
  ] as const
  for (const [path, route] of cases) {
    const before = await count(route)
    const { headers } = await core.request('GET', path)
    await expect.poll(() => count(route)).toBe(before + 1)
    expect(headers.get('x-service-native-route')).toBe('unmatched')
  }
})

it('the metrics count bytes, connections and requests in flight', async () => {
  const scrape = async () => parseMetrics((await core.requestAdmin('GET', '/metrics')).body)
  const before = await scrape()
  await core.request('GET', '/openapi.json')
  const after = await scrape()
  const grown = (name: string) => (findValue(after, name) ?? 0) - (findValue(before, name) ?? 0)
  expect(grown('crossfade_received_bytes_total')).toBeGreaterThan(50)
  expect(grown('crossfade_sent_bytes_total')).toBeGreaterThan(10_000)
  expect(findValue(after, 'crossfade_client_connections')).toBeGreaterThan(0)
  expect(findValue(after, 'crossfade_requests_in_flight')).toBe(0)
})

it('the metrics count comparisons, stops and promotions by their labels', async () => {
  const counted = createNativeMetrics()
  counted.countComparison('libraries.list', 'equal')
  counted.countComparison('libraries.list', 'equal')
  counted.countStop('libraries.list', 'errors', 'fleet')
  counted.countPromotion('libraries.create')
  const registry = createTextRegistry()
  registry.register(counted.families)
  const families = parseMetrics(await registry.format())
  const route = { route: 'libraries.list' }
  expect(findValue(families, 'crossfade_comparisons_total', { ...route, result: 'equal' })).toBe(2)
  expect(findValue(families, 'crossfade_automatic_stops_total', { ...route, cause: 'errors' })).toBe(1)
  expect(findValue(families, 'crossfade_promotions_total', { route: 'libraries.create' })).toBe(1)
  expect(listStrayLabels(families)).toEqual([])
})

it('the metrics keep the names that existing dashboards use', () => {
  expect(documented.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'crossfade_request_duration_seconds',
      'crossfade_breaker_open',
      'crossfade_routing_epoch',
      'crossfade_routing_stale',
      'crossfade_engagement_events_dropped_total',
      'crossfade_method_overrides_rejected_total',
      'crossfade_jobs',
      'process_start_time_seconds',
      'process_resident_memory_bytes',
    ]),
  )
})
