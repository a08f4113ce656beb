import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startSandboxCore } from '#sandbox/core/start-core.ts'
import { relayTo } from './relay.ts'
import { type RunningCore, runCore } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

describe('the core and its database', () => {
  it('says 503 while the database is away and recovers by itself', async () => {
    const relay = await relayTo(core.databaseUrl)
    const { issuer, audience, jwksUrl } = core.issuer
    const own = await startSandboxCore({ databaseUrl: relay.url, issuer, audience, jwksUrl })
    onTestFinished(async () => {
      await own.close()
      await relay.cut()
    })
    const { token } = await core.signIn()
    const get = async (path: string) => {
      const response = await fetch(own.url + path, { headers: { authorization: `Bearer ${token}` } })
      return [response.status, await response.json()]
    }
    expect((await get('/v1/tracks'))[0]).toBe(200)
    await relay.cut()
    expect(await get('/v1/tracks')).toEqual([503, { error: 'tracks_database_unavailable' }])
    expect(await get('/v1/packs/x/links')).toEqual([503, { error: 'packs_database_unavailable' }])
    await relay.mend()
    await expect.poll(async () => (await get('/v1/tracks'))[0], { timeout: 5000 }).toBe(200)
  })

  it('keeps its own faults to itself', async () => {
    const own = await runCore()
    onTestFinished(own.close)
    const alice = await own.signIn()
    await own.sql`alter table packs rename column description to prose`
    const { status, body } = await alice.get('/v1/packs')
    expect([status, body]).toEqual([500, { error: 'internal_error' }])
  })
})
