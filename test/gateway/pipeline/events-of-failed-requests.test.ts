import { describe, expect, it } from 'vitest'
import { detail } from '#contracts/public.track-links.ts'
import { defineRoute } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import { recordVisit } from '#native-routes/visits.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

const mismatchedRoute = defineRoute(detail, async ({ link }, ports) => {
  await recordVisit(ports, link, { type: 'track.viewed', trackId: link.trackId })
  return { link: {}, track: {} } as never
})

describe('a native result that does not match its contract', () => {
  const gateway = startTestGateway({
    control: 'fixed',
    core: 'sandbox',
    handlers: { ...handlers, 'public.track-links.detail': mismatchedRoute },
  })

  it('records no event, so the visit is recorded only once, by the core', async () => {
    const owner = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, owner.accountId)
    const { token } = (await owner.post(`/v1/tracks/${trackId}/share-links`)).body
    const response = await gateway.request('GET', `/v1/public/track-links/${token}`)
    expect([response.status, response.headers.get('x-service-proxy-fallback')]).toEqual([200, '1'])
    expect(response.headers.get('x-robots-tag')).toBe('noindex')
    // Events are stored in order, so once this one is stored, all earlier ones are too.
    await gateway.request('POST', `/v1/public/track-links/${token}/share-events`)
    const types = async () => {
      const events = await gateway.database.sql`
        select type from engagement_events where owner_id = ${owner.accountId} order by type`
      return events.map(({ type }) => type)
    }
    await expect.poll(types).toContain('track.shared')
    expect(await types()).toEqual(['track.shared', 'track.viewed'])
  })
})
