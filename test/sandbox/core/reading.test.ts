import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makePack, makeTrack, type RunningCore, runCore } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

describe('the core and readers', () => {
  it('answers HEAD as GET without the body', async () => {
    const alice = await core.signIn()
    const path = `/v1/tracks/${await makeTrack(alice)}`
    const got = await alice.get(path)
    const headers = { authorization: `Bearer ${alice.token}` }
    const head = await core.send(path, { method: 'HEAD', headers })
    expect([head.status, head.body]).toEqual([200, null])
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(JSON.stringify(got.body))))
    expect(head.headers.get('etag')).toBe(got.headers.get('etag'))
  })

  it('answers 304 to whoever holds the document, until it changes', async () => {
    const alice = await core.signIn()
    const { packId } = await makePack(alice)
    const path = `/v1/packs/${packId}`
    const etag = (await alice.get(path)).headers.get('etag')!
    for (const held of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { status, body, headers } = await alice.get(path, { 'if-none-match': held })
      expect([held, status, body, headers.get('etag')]).toEqual([held, 304, null, etag])
    }
    expect((await alice.get(path, { 'if-none-match': '"other"' })).status).toBe(200)
    await alice.patch(path, { name: 'changed' })
    expect((await alice.get(path, { 'if-none-match': etag })).status).toBe(200)
  })

  it('gives refusals no ETag', async () => {
    expect((await (await core.signIn()).get('/v1/tracks/x')).headers.get('etag')).toBeNull()
  })
})
