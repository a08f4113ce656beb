import { describe, expect, it } from 'vitest'
import {
  breakOff,
  disconnect,
  hang,
  respond,
  respondWithText,
  startScriptedServer,
} from './scripted-server.ts'

const list = { records: [] }
const track = { body: { title: 'Night Drive', artist: 'The Owls' } }
const shareEvent = {
  params: { path: { token: 'share-token-1' } },
  body: { type: 'track.played', visitorId: 'visitor-1' },
} as const

describe('a client call', () => {
  const server = startScriptedServer()

  it.each([
    ['429', respond(429, 'rate_limited')],
    ['502', respondWithText(502, '<h1>Bad gateway</h1>')],
    ['503', respond(503, 'core_unavailable', { 'x-service-core-runtime': 'proxy' })],
    ['504', respond(504, 'core_timeout')],
    ['a lost connection', disconnect],
    ['a response that breaks off', breakOff],
  ])('repeats a read after %s', async (_, failure) => {
    server.script(failure, failure, respond(200, list))
    expect(await server.createClient().get('/v1/libraries')).toEqual(list)
    expect(server.requests().map(({ method, path }) => [method, path])).toEqual(
      Array(3).fill(['GET', '/v1/libraries']),
    )
  })

  it.each([
    ['409 idempotency_in_progress', respond(409, 'idempotency_in_progress')],
    ['429', respond(429, 'rate_limited')],
    ['503', respond(503, 'tracks_database_unavailable')],
    ['a lost connection', disconnect],
    ['a response that breaks off', breakOff],
  ])('repeats a write with the same key and body after %s', async (_, failure) => {
    server.script(failure, failure, respond(201, { id: 'trk_1' }))
    expect(await server.createClient().post('/v1/tracks', track)).toEqual({ id: 'trk_1' })
    const sent = server.requests().map(({ headers, body }) => ({ key: headers['idempotency-key'], body }))
    expect(sent).toEqual(
      Array(3).fill({ key: expect.stringMatching(/^[0-9a-f]{32}$/), body: JSON.stringify(track.body) }),
    )
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1)
  })

  it('sends a new idempotency key with each write unless the caller gives one', async () => {
    server.script(respond(201))
    const client = server.createClient()
    await client.post('/v1/tracks', track)
    await client.post('/v1/tracks', track)
    await client.post('/v1/tracks', { ...track, idempotencyKey: 'key-of-the-form' })
    const [first, second, third] = server.requests().map(({ headers }) => headers['idempotency-key'])
    expect(first).not.toBe(second)
    expect(third).toBe('key-of-the-form')
  })

  it.each(['', 'two words', 'ключ', 'k'.repeat(256)])(
    'rejects the idempotency key "%s", which the service would ignore',
    async (key) => {
      const call = server.createClient().post('/v1/tracks', { ...track, idempotencyKey: key })
      await expect(call).rejects.toThrow(
        'an idempotency key must consist of 1 to 255 visible ASCII characters',
      )
      expect(server.requests()).toEqual([])
    },
  )

  it.each([
    ['500', respond(500, 'internal_error')],
    ['502', respond(502, 'core_bad_response')],
    ['503 from the core', respond(503, 'core_unavailable', { 'x-service-core-runtime': 'proxy' })],
    ['504', respond(504, 'core_timeout')],
    ['409 library_name_conflict', respond(409, 'library_name_conflict')],
    ['422', respond(422, 'idempotency_key_reused')],
  ])('does not repeat a write after %s', async (status, failure) => {
    server.script(failure)
    await expect(server.createClient().post('/v1/tracks', track)).rejects.toMatchObject({
      status: Number.parseInt(status, 10),
    })
    expect(server.requests().length).toBe(1)
  })

  it.each([
    ['503', respond(503, 'core_unavailable')],
    ['a lost connection', disconnect],
  ])('does not repeat a write after %s if no idempotency key protects it', async (_, failure) => {
    server.script(failure)
    const client = server.createClient()
    const path = '/v1/public/track-links/{token}/share-events'
    await expect(client.post(path, shareEvent)).rejects.toThrow()
    await expect(server.createClient({ getToken: () => null }).post('/v1/tracks', track)).rejects.toThrow()
    expect(server.requests().length).toBe(2)
    expect(server.requests()[0]?.headers).not.toHaveProperty('idempotency-key')
  })

  it('waits as long as Retry-After says', async () => {
    server.script(respond(429, 'rate_limited', { 'retry-after': '1' }), respond(200, list))
    const startedAt = performance.now()
    await server.createClient().get('/v1/libraries')
    expect(performance.now() - startedAt).toBeGreaterThan(990)
  })

  it('fails immediately if Retry-After exceeds the longest delay', async () => {
    server.script(respond(429, 'rate_limited', { 'retry-after': '3600' }))
    await expect(server.createClient().get('/v1/libraries')).rejects.toMatchObject({
      code: 'rate_limited',
      status: 429,
      retryAfterS: 3600,
    })
    expect(server.requests().length).toBe(1)
  })

  it('fails with the last error when its attempts are used up', async () => {
    server.script(respond(503, 'core_unavailable'))
    const client = server.createClient({ retries: 2 })
    await expect(client.get('/v1/libraries')).rejects.toMatchObject({ code: 'core_unavailable' })
    expect(server.requests().length).toBe(3)
    await expect(client.get('/v1/libraries', { retries: 0 })).rejects.toMatchObject({ status: 503 })
    expect(server.requests().length).toBe(4)
  })

  it('repeats an attempt that takes too long', async () => {
    server.script(hang, respond(200, list))
    expect(await server.createClient({ timeoutMs: 1000 }).get('/v1/libraries')).toEqual(list)
    server.script(hang)
    await expect(
      server.createClient({ timeoutMs: 100, retries: 1 }).get('/v1/libraries'),
    ).rejects.toMatchObject({ code: 'request_timed_out', status: undefined })
  })

  it('waits without a limit if its time limit is infinite', async () => {
    server.script((response, request) => void setTimeout(() => respond(200, list)(response, request), 100))
    const client = server.createClient({ timeoutMs: Number.POSITIVE_INFINITY, retries: 0 })
    expect(await client.get('/v1/libraries')).toEqual(list)
  })

  it('does not repeat a request early if it is told to wait longer than a timer can', async () => {
    const controller = new AbortController()
    const reason = new Error('the page was closed')
    setTimeout(() => controller.abort(reason), 200)
    server.script(respond(429, 'rate_limited', { 'retry-after': '3000000' }))
    const client = server.createClient({ maxRetryDelayMs: Number.POSITIVE_INFINITY })
    await expect(client.get('/v1/libraries', { signal: controller.signal })).rejects.toBe(reason)
    expect(server.requests().length).toBe(1)
  })

  it.each([
    ['before its first attempt', null],
    ['while it waits for a response', hang],
    ['while it waits for the next attempt', respond(503, 'core_unavailable', { 'retry-after': '30' })],
  ])("fails with its signal's reason if aborted %s", async (_, step) => {
    const controller = new AbortController()
    const reason = new Error('the page was closed')
    server.script((response, request) => {
      step?.(response, request)
      setTimeout(() => controller.abort(reason), 20)
    })
    if (!step) controller.abort(reason)
    const call = server.createClient().get('/v1/libraries', { signal: controller.signal })
    await expect(call).rejects.toBe(reason)
    expect(server.requests().length).toBe(step ? 1 : 0)
  })
})
