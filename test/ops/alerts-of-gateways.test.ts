import { afterAll, describe, expect, it } from 'vitest'
import { list } from '#contracts/libraries.ts'
import { createPromRegistry } from '#gateway/adapters/metrics-prom-client.ts'
import { startJobsAdmin } from '#gateway/process/start-jobs-admin.ts'
import { defineRoute, NotPortedError } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import { startTestGateway, type TestGateway } from '#test/support/gateway.ts'
import { isInstalledOrSkipped } from '#test/support/installed-programs.ts'
import { expectAlerts } from '#test/support/promtool.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { requestAt } from '#test/support/request-at.ts'
import { insertPackOf } from '#test/support/share-fixtures.ts'

const test = it.runIf(isInstalledOrSkipped('prometheus', 'the tests of alerts'))
const gatewayJob = 'crossfade-gateway'
const jobsJob = 'crossfade-jobs'

const scrape = async (gateway: TestGateway): Promise<string> =>
  (await gateway.requestAdmin('GET', '/metrics')).body

/** Scrapes five times, each time after the failure has been caused once more. */
const scrapeDuring = async (gateway: TestGateway, fail: () => Promise<unknown>) => {
  const scrapes: string[] = []
  for (let round = 0; round < 5; round += 1) {
    await fail()
    scrapes.push(await scrape(gateway))
  }
  return scrapes
}

const repeat = (count: number, work: () => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, work))

describe('a core that is down', () => {
  const gateway = startTestGateway({ core: 'recording' })

  test('raises the alerts of its breaker and of errors', async () => {
    const send = () => repeat(6, () => gateway.request('POST', '/v1/tracks'))
    await send()
    const before = await scrape(gateway)
    await gateway.stopCore()
    const during = await scrapeDuring(gateway, send)
    await expectAlerts(['CrossfadeCoreBreakerOpen', 'CrossfadeErrors'], [{ job: gatewayJob, before, during }])
  }, 60_000)
})

describe('a native route that cannot serve its requests', () => {
  const failingHandlers = {
    ...handlers,
    'libraries.list': defineRoute(list, () => Promise.reject(new NotPortedError())),
  }
  const gateway = startTestGateway({ core: 'recording', handlers: failingHandlers })

  test('raises the alerts of its breaker and of fallbacks', async () => {
    const account = await gateway.signUp()
    const before = await scrape(gateway)
    const during = await scrapeDuring(gateway, () => repeat(6, () => account.get('/v1/libraries')))
    await expectAlerts(
      ['CrossfadeNativeBypassed', 'CrossfadeFallbacks'],
      [{ job: gatewayJob, before, during }],
    )
  }, 60_000)
})

describe('a database that is down', () => {
  const gateway = startTestGateway({ core: 'recording', throughRelay: true, routingThroughRelay: true })

  test('raises the alerts of the database, of the routing state and of rate limits', async () => {
    const account = await gateway.signUp()
    await account.get('/v1/libraries')
    const before = await scrape(gateway)
    gateway.relay.setUnavailable(true)
    await expect.poll(() => scrape(gateway), { timeout: 20_000 }).toMatch(/^crossfade_routing_stale 1$/m)
    const during = await scrapeDuring(gateway, async () => {
      await account.get('/v1/libraries')
      await gateway.request('GET', '/v1/public/track-links/unknown')
    })
    await expectAlerts(
      ['CrossfadeDatabaseUnavailable', 'CrossfadeRoutingStale', 'CrossfadeRateLimitStoreDown'],
      [{ job: gatewayJob, before, during }],
    )
  }, 90_000)
})

describe('an event loop that is blocked', () => {
  const gateway = startTestGateway()

  test('raises its alert', async () => {
    // The first scrape begins a period without what the start of the tests has blocked.
    await scrape(gateway)
    const before = (await scrape(gateway)).replace(/^(nodejs_eventloop_lag_max_seconds) .*$/m, '$1 0.02')
    const block = async () => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      for (const end = performance.now() + 700; performance.now() < end; );
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const during = await scrapeDuring(gateway, block)
    await expectAlerts(['CrossfadeEventLoopBlocked'], [{ job: gatewayJob, before, during }])
  }, 60_000)
})

describe('a process that has ended', () => {
  const gateway = startTestGateway()

  test('raises the alert of instances', async () => {
    const before = await scrape(gateway)
    await expectAlerts(['CrossfadeInstanceDown'], [{ job: gatewayJob, before, during: [] }])
  }, 60_000)
})

describe('an instance that does not adopt an epoch', () => {
  const gateway = startTestGateway({ core: 'recording' })

  test('raises the alert of different routing states', async () => {
    const before = await scrape(gateway)
    const { sql } = gateway.database
    await sql`update routing_epoch set epoch = epoch + 1`
    await expect.poll(() => scrape(gateway), { timeout: 15_000 }).not.toMatch(/^crossfade_routing_epoch 0$/m)
    const during = [await scrape(gateway)]
    await expectAlerts(
      ['CrossfadeRoutingDiffers'],
      [
        { job: gatewayJob, before, during },
        { job: `${gatewayJob}-outdated`, before, during: [before] },
      ],
    )
  }, 60_000)
})

describe('a rejected engagement event', () => {
  const gateway = startTestGateway()

  test('raises the alert of dropped events', async () => {
    const account = await gateway.signUp()
    const before = await scrape(gateway)
    const { sql } = gateway.database
    await sql`alter table engagement_events add constraint rejection check (false) not valid`
    const { trackIds } = await insertPackOf(sql, account.accountId)
    const link = await account.post(`/v1/tracks/${trackIds[0]}/share-links`, {})
    await gateway.request('GET', `/v1/public/track-links/${link.body.token}`)
    const isDropped = /^crossfade_engagement_events_dropped_total [1-9]/m
    await expect.poll(() => scrape(gateway), { timeout: 10_000 }).toMatch(isDropped)
    await expectAlerts(
      ['CrossfadeEventsDropped'],
      [{ job: gatewayJob, before, during: [await scrape(gateway)] }],
    )
  }, 60_000)
})

describe('jobs that no worker runs', () => {
  const gateway = startTestGateway()
  const closing: (() => Promise<void>)[] = []
  afterAll(() => Promise.all(closing.map((close) => close())))

  const scrapeJobs = async (databaseUrl: string): Promise<string> => {
    const settings = {
      DATABASE_URL: databaseUrl,
      DATABASE_PREPARE: true,
      ADMIN_HOST: '127.0.0.1',
      JOBS_ADMIN_PORT: 0,
    }
    const state = { phase: 'ready' } as const
    const admin = await startJobsAdmin(settings, createRecordingLog(), state, createPromRegistry())
    closing.push(admin.close)
    return (await requestAt(admin.url ?? '', 'GET', '/metrics')).body
  }

  test('raise the alert of stuck jobs', async () => {
    const before = await scrapeJobs(gateway.database.url)
    await gateway.database.sql`
      insert into pgboss.job (name, data, start_after)
      values ('process-version', '{"queue":"process-version","runId":"run_1"}', now() - interval '10 minutes')`
    const during = [await scrapeJobs(gateway.database.url)]
    await expectAlerts(['CrossfadeJobsStuck'], [{ job: jobsJob, before, during }])
  }, 60_000)

  test('are unknown while no jobs process reaches the database', async () => {
    const before = await scrapeJobs(gateway.database.url)
    const during = [await scrapeJobs('postgres://127.0.0.1:9/x')]
    await expectAlerts(['CrossfadeJobsUnknown'], [{ job: jobsJob, before, during }])
  }, 60_000)
})
