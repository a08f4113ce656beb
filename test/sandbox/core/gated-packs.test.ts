import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makePack, type RunningCore, runCore } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

const visit = (path: string, init: RequestInit = {}) => core.send(path, init)
const publicly = (path: string) => path.replace('/v1/', '/v1/public/')

describe('a gated pack', () => {
  const gated = async () => {
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

  it('asks for the code everywhere, before it says anything of tracks and downloads', async () => {
    const { path, media, reads } = await gated()
    for (const read of [
      ...reads,
      `${path}/tracks/none/playback-url`,
      publicly(path),
      publicly(`${media}/playback-url`),
    ])
      for (const query of ['', '?accessCode=', '?accessCode=sesame']) {
        const { status, body } = await visit(read + query, { headers: { 'x-forwarded-for': randomUUID() } })
        expect([status, body]).toEqual([403, { error: 'access_code_required' }])
      }
    expect((await visit(`${path}/share-events`, { method: 'POST' })).status).toBe(403)
  })

  it('opens to who has it', async () => {
    const { path, media } = await gated()
    const code = `?accessCode=${encodeURIComponent('sésame')}`
    expect((await visit(path + code)).status).toBe(200)
    expect((await visit(publicly(path) + code)).status).toBe(200)
    expect((await visit(`${media}/download-url${code}`)).body).toEqual({ error: 'downloads_disabled' })
    expect((await visit(`${path}/share-events${code}`, { method: 'POST' })).body).toEqual({ ok: true })
  })

  it('opens to its owner, signed in, and in public to nobody without the code', async () => {
    const { alice, path } = await gated()
    const headers = { authorization: `Bearer ${alice.token}` }
    expect((await visit(path, { headers })).status).toBe(200)
    expect((await visit(publicly(path), { headers })).status).toBe(403)
    const bob = await core.signIn()
    expect((await bob.get(path)).status).toBe(403)
  })

  it('counts wrong codes, and neither missing nor right ones', async () => {
    const { path } = await gated()
    const headers = { 'x-forwarded-for': '192.0.2.7' }
    const right = `?accessCode=${encodeURIComponent('sésame')}`
    for (let count = 0; count < 12; count++) await visit(path, { headers })
    const guesses = await Promise.all(
      Array.from({ length: 14 }, (_, guess) => visit(`${path}?accessCode=wrong${guess}`, { headers })),
    )
    expect(guesses.filter(({ status }) => status === 403)).toHaveLength(10)
    const refused = await visit(path + right, { headers })
    expect([refused.status, refused.body]).toEqual([429, { error: 'analytics_rate_limited' }])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await visit(path + right, { headers: { 'x-forwarded-for': '192.0.2.8' } })).status).toBe(200)
    // The code is known by now: it costs nothing to let its holder in.
    expect((await visit(path + right, { headers })).status).toBe(200)
  })
})
