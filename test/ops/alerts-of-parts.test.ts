import { describe, expect, it } from 'vitest'
import { openDatabase } from '#db/client/connection.ts'
import { createEventQueue } from '#gateway/adapters/event-queue.ts'
import { createPromRegistry } from '#gateway/adapters/metrics-prom-client.ts'
import { createDatabaseFamilies } from '#gateway/observability/database-metrics.ts'
import { createJobCounts } from '#gateway/observability/jobs-metrics.ts'
import type { MetricFamily } from '#gateway/observability/metric-family.ts'
import { createEventQueueFamily, createMetrics } from '#gateway/observability/metrics.ts'
import { createNativeMetrics } from '#gateway/observability/native-metrics.ts'
import { createInitialOutcome } from '#gateway/request/context.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { isInstalledOrSkipped } from '#test/support/installed-programs.ts'
import { expectAlerts } from '#test/support/promtool.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

const test = it.runIf(isInstalledOrSkipped('prometheus', 'the tests of alerts'))
const job = 'crossfade-gateway'

const openRegistry = (families: readonly MetricFamily[]) => {
  const registry = createPromRegistry()
  registry.register(families)
  return async () => registry.format()
}

/** Scrapes five times, each time after the failure has been caused once more. */
const scrapeDuring = async (scrape: () => Promise<string>, fail: () => void) => {
  const scrapes: string[] = []
  for (let round = 0; round < 5; round += 1) {
    fail()
    scrapes.push(await scrape())
  }
  return scrapes
}

describe('the alerts of native routes', () => {
  test('are raised when a route is stopped, and when a comparison finds a difference', async () => {
    const counted = createNativeMetrics()
    const scrape = openRegistry(counted.families)
    const before = await scrape()
    counted.countStop('libraries.list', 'errors', 'instance')
    counted.countComparison('libraries.list', 'regression')
    const alerts = ['CrossfadeNativeStopped', 'CrossfadeComparisonsDiffer']
    await expectAlerts(alerts, [{ job, before, during: [await scrape()] }])
  }, 60_000)
})

describe('the alert of slow requests', () => {
  test('is raised when requests take over a second', async () => {
    const metrics = createMetrics()
    const outcome = createInitialOutcome({ kind: 'row', label: 'libraries.list', params: {} })
    const scrape = openRegistry(metrics.families)
    metrics.observe(outcome, 200, 0.01)
    const before = await scrape()
    const during = await scrapeDuring(scrape, () => metrics.observe(outcome, 200, 2))
    await expectAlerts(['CrossfadeSlow'], [{ job, before, during }])
  }, 60_000)
})

describe('the alert of failing jobs', () => {
  test('is raised when jobs of a queue fail', async () => {
    const counts = createJobCounts()
    const scrape = openRegistry(counts.families)
    const before = await scrape()
    const failed = { queue: 'send-invitation', result: 'failed', durationMs: 5 } as const
    const during = await scrapeDuring(scrape, () => {
      counts.count(failed)
      counts.count(failed)
    })
    await expectAlerts(['CrossfadeJobsFailing'], [{ job: 'crossfade-jobs', before, during }])
  }, 60_000)
})

describe('the alert of waiting events', () => {
  test('is raised while they cannot be written', async () => {
    const waiting = Promise.withResolvers<void>()
    const queue = createEventQueue({
      store: { serialize: () => '{}', write: () => waiting.promise },
      onDropped: () => {},
      log: createRecordingLog(),
    })
    const scrape = openRegistry([createEventQueueFamily(queue.countWaiting)])
    const before = await scrape()
    for (let count = 0; count < 6000; count += 1)
      await queue.record({ ownerId: 'acct_1', type: 'track.viewed', linkId: 'link_1' })
    const during = [await scrape()]
    waiting.resolve()
    await queue.close(0)
    await expectAlerts(['CrossfadeEventsWaiting'], [{ job, before, during }])
  }, 60_000)
})

describe('the alert of an exhausted pool', () => {
  const gateway = startTestGateway()

  test('is raised while statements wait for a connection', async () => {
    const database = openDatabase(gateway.database.url, { connections: 1 })
    const scrape = openRegistry(createDatabaseFamilies({ requests: database }))
    const before = await scrape()
    const statements = Array.from({ length: 3 }, () =>
      database.db.execute('with slow as (select pg_sleep(1)) select 1 from slow'),
    )
    const done = Promise.allSettled(statements)
    const isWaiting = /^crossfade_database_waiting\{pool="requests"\} [1-9]/m
    await expect.poll(scrape).toMatch(isWaiting)
    const during = [await scrape()]
    await done
    await database.close()
    await expectAlerts(['CrossfadeDatabasePoolExhausted'], [{ job, before, during }])
  }, 60_000)
})

describe('the alerts of limits that were reached', () => {
  const gateway = startTestGateway({ core: 'recording' })
  const scrapeGateway = async (): Promise<string> => (await gateway.requestAdmin('GET', '/metrics')).body

  test('are raised when a client occupies all slots of the core', async () => {
    const before = await scrapeGateway()
    const sockets: (() => void)[] = []
    for (let request = 0; request < 200; request += 1)
      gateway.core.nextReplies.push((socket) => void sockets.push(() => socket.destroy()))
    const requests = Array.from({ length: 200 }, () => gateway.request('GET', '/v1/tracks').catch(() => null))
    await expect
      .poll(scrapeGateway, { timeout: 20_000 })
      .toMatch(/^crossfade_core_requests_waiting\{lane="requests"\} [1-9]/m)
    const during = [await scrapeGateway()]
    for (const destroy of sockets) destroy()
    gateway.core.nextReplies.length = 0
    await Promise.all(requests)
    await expectAlerts(['CrossfadeCoreSaturated'], [{ job, before, during }])
  }, 60_000)

  test('are raised when nearly all files are open', async () => {
    const before = await scrapeGateway()
    // A limit of the process that its open files nearly reach, which a test cannot lower for itself.
    const open = Number(/^process_open_fds (\d+)$/m.exec(before)?.[1])
    const during = [before.replace(/^process_max_fds .*$/m, `process_max_fds ${Math.ceil(open * 1.1)}`)]
    await expectAlerts(['CrossfadeFilesExhausted'], [{ job, before, during }])
  }, 60_000)
})
