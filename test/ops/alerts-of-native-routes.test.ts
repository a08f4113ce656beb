import { describe } from 'vitest'
import { list, sharedWithMe } from '#contracts/libraries.ts'
import { defineRoute, NotPortedError } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import {
  isAbove,
  itWithPromtool,
  gatewayJob as job,
  repeat,
  scrape,
  scrapeDuring,
  scrapeUntil,
} from '#test/support/alert-scrapes.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { expectAlerts } from '#test/support/promtool.ts'
import { storeRouteState } from '#test/support/routing.ts'
import { insertPackOf } from '#test/support/share-fixtures.ts'

describe('a native route that cannot serve its requests', () => {
  const gateway = startTestGateway({
    core: 'recording',
    handlers: {
      ...handlers,
      'libraries.list': defineRoute(list, () => Promise.reject(new NotPortedError())),
    },
  })

  itWithPromtool('raises the alerts for its breaker and for fallbacks', async () => {
    const account = await gateway.signUp()
    const before = await scrape(gateway)
    const during = await scrapeDuring(gateway, () => repeat(6, () => account.get('/v1/libraries')))
    await expectAlerts(['CrossfadeNativeBypassed', 'CrossfadeFallbacks'], [{ job, before, during }])
  })
})

describe('a native route that throws', () => {
  const gateway = startTestGateway({
    core: 'recording',
    handlers: {
      ...handlers,
      'libraries.shared-with-me': defineRoute(sharedWithMe, () => Promise.reject(new TypeError('fault'))),
    },
  })

  itWithPromtool('raises the alert for stopped routes when it is stopped', async () => {
    const account = await gateway.signUp()
    const before = await scrape(gateway)
    const during = [
      await scrapeUntil(gateway, {
        metric: 'crossfade_automatic_stops_total',
        labels: { route: 'libraries.shared-with-me', cause: 'errors' },
        isReached: isAbove(0),
        fail: () => account.get('/v1/libraries/shared-with-me'),
      }),
    ]
    await expectAlerts(['CrossfadeNativeStopped'], [{ job, before, during }])
  })
})

describe('a native route that differs from the core', () => {
  const gateway = startTestGateway({
    core: 'sandbox',
    comparisonRates: { attemptsPerSecond: 1000, confirmDelayMs: 10, minuteMs: 1 },
    comparisonWriteMs: 100,
    comparedHandlers: new URL(import.meta.resolve('#test/migration/live/wrong-handlers.ts')),
  })

  itWithPromtool('raises the alert for live comparisons', async () => {
    const owner = await gateway.signUp()
    const { trackIds } = await insertPackOf(gateway.database.sql, owner.accountId)
    await storeRouteState(gateway.database, { scope: 'tracks.detail', state: 'shadow' })
    const before = await scrape(gateway)
    const during = [
      await scrapeUntil(gateway, {
        metric: 'crossfade_comparisons_total',
        labels: { route: 'tracks.detail', result: 'regression' },
        isReached: isAbove(0),
        fail: () => owner.get(`/v1/tracks/${trackIds[0]}`),
      }),
    ]
    await expectAlerts(['CrossfadeComparisonsDiffer'], [{ job, before, during }])
  })
})
