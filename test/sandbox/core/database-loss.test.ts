import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startSandboxCore } from '#sandbox/core/start-core.ts'
import { startRelay } from './relay.ts'
import { type RunningCore, runCore } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

describe('the database of the core', () => {
  it('returns 503 while the database is unreachable, then recovers', async () => {
    const relay = await startRelay(core.databaseUrl)
    const { issuer, audience, jwksUrl } = core.issuer
    const isolated = await startSandboxCore({ databaseUrl: relay.url, issuer, audience, jwksUrl })
    onTestFinished(async () => {
      await isolated.close()
      await relay.cut()
    })
    const { token } = await core.signIn()
    const get = async (path: string) => {
      const response = await fetch(isolated.url + path, { headers: { authorization: `Bearer ${token}` } })
      return [response.status, await response.json()]
    }
    expect((await get('/v1/tracks'))[0]).toBe(200)
    await relay.cut()
    expect(await get('/v1/tracks')).toEqual([503, { error: 'tracks_database_unavailable' }])
    expect(await get('/v1/packs/x/links')).toEqual([503, { error: 'packs_database_unavailable' }])
    await relay.reopen()
    await expect.poll(async () => (await get('/v1/tracks'))[0], { timeout: 5000 }).toBe(200)
  })

  it('returns internal_error without details for an unexpected database error', async () => {
    const isolated = await runCore()
    onTestFinished(isolated.close)
    const alice = await isolated.signIn()
    await isolated.sql`alter table packs rename column description to prose`
    const { status, body } = await alice.get('/v1/packs')
    expect([status, body]).toEqual([500, { error: 'internal_error' }])
  })
})
