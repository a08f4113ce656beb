import { afterAll, beforeAll, describe } from 'vitest'
import { startGateway } from '#bin/start-gateway.ts'
import type { RunningGateway } from '#gateway/node/start-node-gateway.ts'
import {
  isAbove,
  itWithPromtool,
  gatewayJob as job,
  scrape,
  scrapeDuring,
  scrapeUntil,
} from '#test/support/alert-scrapes.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { expectAlerts } from '#test/support/promtool.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { storeRestore, storeRouteState } from '#test/support/routing.ts'

const throughRelay = { core: 'recording', throughRelay: true, routingThroughRelay: true } as const

describe('a database that is down', () => {
  const gateway = startTestGateway(throughRelay)

  itWithPromtool(
    'raises the alerts for the database, for the routing state and for rate limits',
    async () => {
      const account = await gateway.signUp()
      await account.get('/v1/libraries')
      const before = await scrape(gateway)
      gateway.relay.setUnavailable(true)
      await scrapeUntil(gateway, { metric: 'crossfade_routing_stale', isReached: isAbove(0) })
      const during = await scrapeDuring(gateway, async () => {
        await account.get('/v1/libraries')
        await gateway.request('GET', '/v1/public/track-links/unknown')
      })
      await expectAlerts(
        ['CrossfadeDatabaseUnavailable', 'CrossfadeRoutingStale', 'CrossfadeRateLimitStoreDown'],
        [{ job, before, during }],
      )
    },
  )
})

describe('a database that was restored from an older backup', () => {
  const gateway = startTestGateway({ core: 'recording' })

  itWithPromtool('raises the alert for a restored routing state', async () => {
    const before = await scrape(gateway)
    await storeRestore(gateway.database)
    await scrapeUntil(gateway, { metric: 'crossfade_routing_restored', isReached: isAbove(0) })
    const during = await scrapeDuring(gateway, async () => {})
    await expectAlerts(['CrossfadeRoutingRestored'], [{ job, before, during }])
  })
})

describe('an instance that cannot read the routing state', () => {
  const outdated = startTestGateway(throughRelay)
  let current: RunningGateway
  beforeAll(async () => {
    const { url, directUrl } = outdated.database
    const settings = { ...outdated.settings, DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl }
    current = await startGateway({ settings, log: createRecordingLog() })
  })
  afterAll(() => current.close())

  itWithPromtool(
    'raises the alert for different routing states when another instance adopts a change',
    async () => {
      const outdatedJob = `${job}-outdated`
      const [before, outdatedBefore] = [await scrape(current), await scrape(outdated)]
      outdated.relay.setUnavailable(true)
      const epoch = await storeRouteState(outdated.database, { scope: 'libraries.list', state: 'proxy' })
      const during = await scrapeUntil(current, {
        metric: 'crossfade_routing_epoch',
        isReached: (value) => value === epoch,
      })
      await expectAlerts(
        ['CrossfadeRoutingDiffers'],
        [
          { job, before, during: [during] },
          { job: outdatedJob, before: outdatedBefore, during: [await scrape(outdated)] },
        ],
      )
    },
  )
})

describe('transactions that wait for a lock', () => {
  const gateway = startTestGateway({ environment: { DATABASE_POOL_SIZE: '2' } })

  itWithPromtool('raise the alert for an exhausted pool when they use all of its connections', async () => {
    const account = await gateway.signUp()
    const before = await scrape(gateway)
    const sent: Promise<unknown>[] = []
    const during = await gateway.database.sql.begin(async (tx) => {
      await tx`lock table libraries in exclusive mode`
      return scrapeUntil(gateway, {
        metric: 'crossfade_database_waiting',
        labels: { pool: 'requests' },
        isReached: isAbove(0),
        fail: () => void sent.push(account.post('/v1/libraries', { name: 'Demos' })),
      })
    })
    await Promise.all(sent)
    await expectAlerts(['CrossfadeDatabasePoolExhausted'], [{ job, before, during: [during] }])
  })
})
