import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { makePack, makeTrack, type RunningCore, runCore } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

describe('the limit on wrong access codes for pack links', () => {
  it('applies per client, does not count missing codes, and does not stop a correct code that is cached', async () => {
    const alice = await core.signIn()
    const { packId } = await makePack(alice, 1)
    const { body: link } = await alice.post(`/v1/packs/${packId}/links`, { accessCode: 'sésame' })
    const headers = { 'x-forwarded-for': '192.0.2.7' }
    const visit = (query = '', from = headers) =>
      core.send(`/v1/pack-links/${link.slug}${query}`, { headers: from })
    const correctCode = `?accessCode=${encodeURIComponent('sésame')}`
    for (let count = 0; count < 12; count++) await visit()
    const guesses = await Promise.all(
      Array.from({ length: 14 }, (_, guess) => visit(`?accessCode=wrong${guess}`)),
    )
    expect(guesses.filter(({ status }) => status === 403)).toHaveLength(10)
    const limited = await visit(correctCode)
    expect([limited.status, limited.body]).toEqual([429, { error: 'analytics_rate_limited' }])
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await visit(correctCode, { 'x-forwarded-for': '192.0.2.8' })).status).toBe(200)
    // By now, the correct code is cached, so it is accepted despite the limit.
    expect((await visit(correctCode)).status).toBe(200)
  })

  it('applies per link, except to clients that have sent the correct code before', async () => {
    const limited = await runCore({ RATE_LIMIT_ACCESS_CODES_LINK: '2/3600' })
    onTestFinished(() => limited.close())
    const alice = await limited.signIn()
    const { packId } = await makePack(alice, 1)
    const { body: link } = await alice.post(`/v1/packs/${packId}/links`, { accessCode: 'sesame' })
    const guess = async (accessCode: string, client: string) => {
      const headers = { 'x-forwarded-for': client }
      const response = await limited.send(`/v1/pack-links/${link.slug}?accessCode=${accessCode}`, { headers })
      return response.status
    }
    expect(await guess('sesame', '192.0.2.1')).toBe(200)
    for (const client of ['192.0.2.2', '192.0.2.3']) expect(await guess('wrong', client)).toBe(403)
    expect(await guess('wrong', '192.0.2.4')).toBe(429)
    expect(await guess('wrong', '192.0.2.1')).toBe(403)
  })
})

describe('rate limits on public track links', () => {
  it('cause 429 with Retry-After, per client and per link', async () => {
    const limitedCore = await runCore({
      BILLING_PLANS: JSON.stringify([{ id: 'free', entitlements: { 'tracks.share': true } }]),
      RATE_LIMIT_PUBLIC_READS: '2/3600',
      RATE_LIMIT_SHARE_EVENTS: '2/3600',
    })
    onTestFinished(limitedCore.close)
    const shareTrack = async () => {
      const alice = await limitedCore.signIn()
      const { body: link } = await alice.post(`/v1/tracks/${await makeTrack(alice)}/share-links`)
      const path = `/v1/public/track-links/${link.token}`
      return {
        read: (init: RequestInit = {}) => limitedCore.send(path, init),
        record: () => limitedCore.send(`${path}/share-events`, { method: 'POST', body: '{}' }),
      }
    }
    const [one, other] = [await shareTrack(), await shareTrack()]
    const statuses = []
    for (let count = 0; count < 3; count++) {
      const read = await one.read()
      const recorded = await one.record()
      statuses.push([read.status, recorded.status])
    }
    expect(statuses).toEqual([
      [200, 200],
      [200, 200],
      [429, 429],
    ])
    const { body, headers } = await one.read()
    expect(body).toEqual({ error: 'analytics_rate_limited' })
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await other.read()).status).toBe(200)
    const elsewhere = { headers: { 'x-forwarded-for': `2001:db8::${randomUUID().slice(0, 4)}` } }
    expect((await one.read(elsewhere)).status).toBe(200)
  })
})
