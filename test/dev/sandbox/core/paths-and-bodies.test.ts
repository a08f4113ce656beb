import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { invalidPaths, makeTrack, type RunningCore, runCore } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

describe('the core', () => {
  it.each(['/', '/v1', '/v1/tracks/', '/v1/TRACKS', '/v1/nothing', '/v1/webhooks/billing', '/v1/packs/%zz'])(
    'returns route_not_found for %s',
    async (path) => {
      const { status, body } = await (await core.signIn()).get(path)
      expect([status, body]).toEqual([404, { error: 'route_not_found' }])
    },
  )

  it.each([
    ['PUT', '/v1/tracks', 'GET, HEAD, POST'],
    ['POST', '/v1/tracks/x', 'DELETE, GET, HEAD'],
    ['GET', '/v1/packs/x/tracks/order', 'DELETE, PUT'],
  ])('returns 405 with Allow for %s %s', async (method, path, allow) => {
    const { token } = await core.signIn()
    const { status, body, headers } = await core.send(path, {
      method,
      headers: { authorization: `Bearer ${token}` },
    })
    expect([status, body, headers.get('allow')]).toEqual([405, { error: 'method_not_allowed' }, allow])
  })
})

describe('a request body sent to the core', () => {
  const post = async (body: BodyInit, type = 'application/json') => {
    const { token } = await core.signIn()
    return core.send('/v1/packs', {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
    })
  }

  it.each(['{', '{"name":"a"', '{"name":"a"}x', ' ', "{'name':'a'}"])(
    'is rejected with invalid_json if it is %j',
    async (text) => {
      const { status, body } = await post(text)
      expect([status, body]).toEqual([400, { error: 'invalid_json', message: expect.any(String) }])
    },
  )

  it('is rejected with invalid_json if it is not UTF-8', async () => {
    const { status, body } = await post(Buffer.from([...Buffer.from('{"name":"'), 0xff, 0x22, 0x7d]))
    expect([status, body.error]).toEqual([400, 'invalid_json'])
  })

  it.each(['[]', '"a"', 'null', '7'])('is rejected if it is %s, which is not an object', async (text) => {
    expect(invalidPaths(await post(text))).toEqual([''])
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', ';;', 'application/json; charset=latin1'])(
    'is read as JSON even if its content type is %s',
    async (type) => expect((await post('{"name":"a"}', type)).status).toBe(201),
  )

  it('is rejected with one issue for each invalid field', async () => {
    const { token } = await core.signIn()
    const response = await core.send('/v1/tracks', {
      method: 'POST',
      body: '{"title":1,"isrc":"x"}',
      headers: { authorization: `Bearer ${token}` },
    })
    expect(invalidPaths(response)).toEqual(['title', 'artist', 'isrc'])
    expect(response.body.issues.map((issue: object) => Object.keys(issue))).toEqual(
      Array(3).fill(['path', 'message']),
    )
  })

  it('is ignored by a route that takes none', async () => {
    const alice = await core.signIn()
    const trackId = await makeTrack(alice)
    const { status } = await core.send(`/v1/tracks/${trackId}`, {
      method: 'DELETE',
      body: '{',
      headers: { authorization: `Bearer ${alice.token}` },
    })
    expect(status).toBe(204)
  })

  it('is rejected with 413 if it is larger than 1 MiB', async () => {
    const { status, body } = await post(JSON.stringify({ name: 'x'.repeat(1024 * 1024) }))
    expect([status, body]).toEqual([413, { error: 'body_too_large' }])
  })
})
