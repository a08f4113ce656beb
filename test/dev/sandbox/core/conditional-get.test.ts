import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makePack, makeTrack, type RunningCore, runCore } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

describe('the core', () => {
  it('responds to HEAD with the headers of GET, but no body', async () => {
    const alice = await core.signIn()
    const path = `/v1/tracks/${await makeTrack(alice)}`
    const got = await alice.get(path)
    const headers = { authorization: `Bearer ${alice.token}` }
    const head = await core.send(path, { method: 'HEAD', headers })
    expect([head.status, head.body]).toEqual([200, null])
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(JSON.stringify(got.body))))
    expect(head.headers.get('etag')).toBe(got.headers.get('etag'))
  })

  it('returns 304 for a matching If-None-Match, until the resource changes', async () => {
    const alice = await core.signIn()
    const { packId } = await makePack(alice)
    const path = `/v1/packs/${packId}`
    const etag = (await alice.get(path)).headers.get('etag')!
    for (const ifNoneMatch of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { status, body, headers } = await alice.get(path, { 'if-none-match': ifNoneMatch })
      expect([ifNoneMatch, status, body, headers.get('etag')]).toEqual([ifNoneMatch, 304, null, etag])
    }
    expect((await alice.get(path, { 'if-none-match': '"other"' })).status).toBe(200)
    await alice.patch(path, { name: 'changed' })
    expect((await alice.get(path, { 'if-none-match': etag })).status).toBe(200)
  })

  it('sends no ETag with an error response', async () => {
    expect((await (await core.signIn()).get('/v1/tracks/x')).headers.get('etag')).toBeNull()
  })
})
