import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'
import { startTestWorker } from '#test/support/worker.ts'

describe('a shared pack on Workers', () => {
  const gateway = startTestGateway({
    control: 'fixed',
    environment: { RATE_LIMIT_ACCESS_CODES: '2/600', RATE_LIMIT_ACCESS_CODES_LINK: '3/3600' },
  })
  const worker = startTestWorker(gateway)

  const start = async () => {
    const owner = await gateway.signUp()
    const { sql } = gateway.database
    const { packId, trackIds } = await insertPackOf(sql, owner.accountId)
    const { slug } = await insertPackLink(sql, packId, { accessCode: 'sesame' })
    return { owner, path: `/v1/pack-links/${slug}`, trackId: trackIds[0] }
  }

  it('opens with its access code and records engagement events', async () => {
    const { owner, path, trackId } = await start()
    expect((await worker.request('GET', path)).status).toBe(403)
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => worker.request('GET', `${path}?accessCode=sesame&sessionId=one`)),
    )
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
    const played = await worker.request('GET', `${path}/tracks/${trackId}/playback-url?accessCode=sesame`)
    expect([played.status, played.headers.get('x-robots-tag')]).toEqual([200, 'noindex'])
    const recorded = () => gateway.database.sql`
      select type from engagement_events where owner_id = ${owner.accountId} and type = 'track.played'`
    await expect.poll(async () => (await recorded()).length).toBe(1)
  })

  it('sends the privacy headers even for an invalid path', async () => {
    for (const target of [worker, gateway]) {
      const response = await target.request('GET', '/v1/pack-links/a%2Fb')
      expect(response.status).toBe(400)
      expect(response.headers.get('x-robots-tag')).toBe('noindex')
      expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    }
  })

  it('shares its rate limits with the gateway on Node', async () => {
    const { path } = await start()
    const client = { 'cf-connecting-ip': '127.0.0.1' }
    const guess = `${path}?accessCode=barley`
    expect((await worker.request('GET', guess, { headers: client })).status).toBe(403)
    expect((await gateway.request('GET', guess)).status).toBe(403)
    expect((await gateway.request('GET', guess)).status).toBe(429)
    expect((await worker.request('GET', guess, { headers: client })).status).toBe(429)
  })

  it("applies a link's limit only to new clients, on both platforms", async () => {
    const { path } = await start()
    const at = (address: string) => ({ headers: { 'cf-connecting-ip': address } })
    const [wrong, right] = [`${path}?accessCode=barley`, `${path}?accessCode=sesame`]
    expect((await gateway.request('GET', right)).status).toBe(200)
    expect((await worker.request('GET', right, at('192.0.2.1'))).status).toBe(200)
    for (const address of ['192.0.2.2', '192.0.2.3', '192.0.2.4'])
      expect((await worker.request('GET', wrong, at(address))).status).toBe(403)
    // Node still remembers this client. Workers remember only its admission.
    expect((await worker.request('GET', right, at('127.0.0.1'))).status).toBe(200)
    expect((await worker.request('GET', wrong, at('127.0.0.1'))).status).toBe(403)
    expect((await worker.request('GET', right, at('192.0.2.5'))).status).toBe(429)
    expect((await gateway.request('GET', wrong)).status).toBe(403)
  })

  it('reserves only one batch of uses for concurrent requests', async () => {
    const { path } = await start()
    const client = { 'cf-connecting-ip': '127.0.0.1' }
    await Promise.all(Array.from({ length: 25 }, () => worker.request('GET', path, { headers: client })))
    expect((await gateway.request('GET', path)).status).toBe(403)
  })
})
