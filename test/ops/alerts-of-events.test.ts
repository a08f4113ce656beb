import { describe, onTestFinished } from 'vitest'
import {
  isAbove,
  itWithPromtool,
  gatewayJob as job,
  repeat,
  scrape,
  scrapeUntil,
} from '#test/support/alert-scrapes.ts'
import { startTestGateway, type TestGateway } from '#test/support/gateway.ts'
import { expectAlerts } from '#test/support/promtool.ts'
import { get, openRawClient } from '#test/support/raw-client.ts'
import { insertPackOf } from '#test/support/share-fixtures.ts'

const createLinkPath = async (gateway: TestGateway) => {
  const owner = await gateway.signUp()
  const { trackIds } = await insertPackOf(gateway.database.sql, owner.accountId)
  const { body } = await owner.post(`/v1/tracks/${trackIds[0]}/share-links`, {})
  return `/v1/public/track-links/${body.token}`
}

describe('engagement events that the database rejects', () => {
  const gateway = startTestGateway()

  itWithPromtool('raise the alert for dropped events', async () => {
    const path = await createLinkPath(gateway)
    const before = await scrape(gateway)
    const { sql } = gateway.database
    await sql`alter table engagement_events add constraint rejection check (false) not valid`
    await gateway.request('GET', path)
    const during = await scrapeUntil(gateway, {
      metric: 'crossfade_engagement_events_dropped_total',
      isReached: isAbove(0),
    })
    await expectAlerts(['CrossfadeEventsDropped'], [{ job, before, during: [during] }])
  })
})

describe('engagement events whose table is locked', () => {
  const gateway = startTestGateway({ environment: { RATE_LIMIT_PUBLIC_READS: 'off' } })

  const sendVisits = async (path: string, count: number) => {
    const { socket, send } = await openRawClient(Number(new URL(gateway.url).port))
    onTestFinished(() => void socket.destroy())
    send(get(path).repeat(count))
  }

  itWithPromtool('raise the alert for waiting events when 5200 visits have arrived', async () => {
    const path = await createLinkPath(gateway)
    const before = await scrape(gateway)
    const during = await gateway.database.sql.begin(async (tx) => {
      await tx`lock table engagement_events in access exclusive mode`
      await repeat(13, () => sendVisits(path, 400))
      return scrapeUntil(gateway, {
        metric: 'crossfade_engagement_events_waiting',
        isReached: isAbove(5000),
      })
    })
    await expectAlerts(['CrossfadeEventsWaiting'], [{ job, before, during: [during] }])
  })
})
