import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'
import { startTestWorker } from '#test/support/worker.ts'

describe('a shared pack on Workers', () => {
  const gateway = startTestGateway({ environment: { RATE_LIMIT_ACCESS_CODES: '2/600' } })
  const worker = startTestWorker(gateway)

  const start = async () => {
    const owner = await gateway.signUp()
    const { sql } = gateway.database
    const { packId, trackIds } = await insertPackOf(sql, owner.accountId)
    const { slug } = await insertPackLink(sql, packId, { accessCode: 'sesame' })
    return { owner, path: `/v1/pack-links/${slug}`, trackId: trackIds[0] }
  }

  it('opens to its code, and what is done with it is recorded', async () => {
    const { owner, path, trackId } = await start()
    expect((await worker.request('GET', path)).status).toBe(403)
    const many = await Promise.all(
      Array.from({ length: 8 }, () => worker.request('GET', `${path}?accessCode=sesame&sessionId=one`)),
    )
    expect(many.map(({ status }) => status)).toEqual(many.map(() => 200))
    const played = await worker.request('GET', `${path}/tracks/${trackId}/playback-url?accessCode=sesame`)
    expect([played.status, played.headers.get('x-robots-tag')]).toEqual([200, 'noindex'])
    const recorded = () => gateway.database.sql`
      select type from engagement_events where owner_id = ${owner.accountId} and type = 'track.played'`
    await expect.poll(async () => (await recorded()).length).toBe(1)
  })

  it('says that no search engine shall list it, also where its address is none', async () => {
    for (const side of [worker, gateway]) {
      const answer = await side.request('GET', '/v1/pack-links/a%2Fb')
      expect(answer.status).toBe(400)
      expect(answer.headers.get('x-robots-tag')).toBe('noindex')
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    }
  })

  it('shares its limits with the gateway on Node', async () => {
    const { path } = await start()
    const client = { 'cf-connecting-ip': '127.0.0.1' }
    const guess = `${path}?accessCode=barley`
    expect((await worker.request('GET', guess, { headers: client })).status).toBe(403)
    expect((await gateway.request('GET', guess)).status).toBe(403)
    expect((await gateway.request('GET', guess)).status).toBe(429)
    expect((await worker.request('GET', guess, { headers: client })).status).toBe(429)
  })

  it('counts one share of a limit ahead, however many ask at once', async () => {
    const { path } = await start()
    const client = { 'cf-connecting-ip': '127.0.0.1' }
    await Promise.all(Array.from({ length: 25 }, () => worker.request('GET', path, { headers: client })))
    expect((await gateway.request('GET', path)).status).toBe(403)
  })
})
