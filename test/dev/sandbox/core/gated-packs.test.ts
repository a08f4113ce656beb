import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { makePack, type RunningCore, runCore } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

const visit = (path: string, init: RequestInit = {}) => core.send(path, init)
const toPublicPath = (path: string) => path.replace('/v1/', '/v1/public/')

describe('a gated pack', () => {
  const createGatedLink = async () => {
    const alice = await core.signIn()
    const { packId, trackIds } = await makePack(alice, 1)
    const { body: link } = await alice.post(`/v1/packs/${packId}/links`, {
      accessCode: 'sésame',
      disableDownloads: true,
    })
    const path = `/v1/pack-links/${link.slug}`
    const media = `${path}/tracks/${trackIds[0]}`
    const reads = [path, `${path}/presentation`, `${media}/playback-url`, `${media}/download-url`]
    return { alice, path, media, reads }
  }

  it('returns access_code_required on every path, before it checks tracks and downloads', async () => {
    const { path, media, reads } = await createGatedLink()
    for (const read of [
      ...reads,
      `${path}/tracks/none/playback-url`,
      toPublicPath(path),
      toPublicPath(`${media}/playback-url`),
    ])
      for (const query of ['', '?accessCode=', '?accessCode=sesame']) {
        const { status, body } = await visit(read + query, { headers: { 'x-forwarded-for': randomUUID() } })
        expect([status, body]).toEqual([403, { error: 'access_code_required' }])
      }
    expect((await visit(`${path}/share-events`, { method: 'POST' })).status).toBe(403)
  })

  it('returns 200 with the correct access code', async () => {
    const { path, media } = await createGatedLink()
    const code = `?accessCode=${encodeURIComponent('sésame')}`
    expect((await visit(path + code)).status).toBe(200)
    expect((await visit(toPublicPath(path) + code)).status).toBe(200)
    expect((await visit(`${media}/download-url${code}`)).body).toEqual({ error: 'downloads_disabled' })
    expect((await visit(`${path}/share-events${code}`, { method: 'POST' })).body).toEqual({ ok: true })
  })

  it('requires no code from its authenticated owner, except on the public paths', async () => {
    const { alice, path } = await createGatedLink()
    const headers = { authorization: `Bearer ${alice.token}` }
    expect((await visit(path, { headers })).status).toBe(200)
    expect((await visit(toPublicPath(path), { headers })).status).toBe(403)
    const bob = await core.signIn()
    expect((await bob.get(path)).status).toBe(403)
  })

  it('limits wrong codes per client, without counting missing or correct ones', async () => {
    const { path } = await createGatedLink()
    const headers = { 'x-forwarded-for': '192.0.2.7' }
    const correctCode = `?accessCode=${encodeURIComponent('sésame')}`
    for (let count = 0; count < 12; count++) await visit(path, { headers })
    const guesses = await Promise.all(
      Array.from({ length: 14 }, (_, guess) => visit(`${path}?accessCode=wrong${guess}`, { headers })),
    )
    expect(guesses.filter(({ status }) => status === 403)).toHaveLength(10)
    const limited = await visit(path + correctCode, { headers })
    expect([limited.status, limited.body]).toEqual([429, { error: 'analytics_rate_limited' }])
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await visit(path + correctCode, { headers: { 'x-forwarded-for': '192.0.2.8' } })).status).toBe(
      200,
    )
    // The correct code is cached, so it passes despite the limit.
    expect((await visit(path + correctCode, { headers })).status).toBe(200)
  })

  it('limits wrong codes per link, except for clients that have sent the right one before', async () => {
    const limited = await runCore({ rates: { accessCodesOfLink: { count: 2, seconds: 3600 } } })
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
