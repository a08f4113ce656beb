import { describe, expect, it } from 'vitest'
import { ApiError } from '#client/api-error.ts'
import { disconnect, respond, respondWithText, startScriptedServer } from './scripted-server.ts'

describe('an error that the client throws', () => {
  const server = startScriptedServer()

  it("has the code, message and request id, and the response's body", async () => {
    const body = {
      error: 'validation_error',
      message: 'Correct it.',
      issues: [{ path: 'title', message: 'is empty' }],
    }
    server.script(respond(400, body))
    const error = await server
      .createClient()
      .post('/v1/tracks', { body: { title: '', artist: '' } })
      .catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      name: 'ApiError',
      code: 'validation_error',
      message: 'POST /v1/tracks: Correct it. (400); title: is empty',
      status: 400,
      requestId: 'request-1',
      retryAfterS: undefined,
      body,
    })
  })

  it('has the code http_error if the response has no code', async () => {
    server.script(respondWithText(403, '<h1>Forbidden</h1>'))
    await expect(server.createClient().get('/v1/libraries')).rejects.toMatchObject({
      code: 'http_error',
      status: 403,
      body: '<h1>Forbidden</h1>',
    })
  })

  it('says so if a successful response is not JSON', async () => {
    server.script(respondWithText(200, '<h1>Welcome</h1>'))
    await expect(server.createClient().get('/v1/libraries')).rejects.toMatchObject({
      code: 'invalid_response',
      message: 'GET /v1/libraries: the response is not JSON (200); check the base URL',
    })
  })

  it('contains neither the access token nor a token in the path', async () => {
    const secrets = /secret-/
    const path = '/v1/public/track-links/{token}'
    const init = { params: { path: { token: 'secret-share-token' } } }
    const client = server.createClient({ getToken: () => 'secret-access-token', retries: 0 })
    for (const step of [respond(404, 'track_link_unavailable'), disconnect, respondWithText(200, '-')]) {
      server.script(step)
      for (const call of [() => client.get(path, init), () => client.get('/v1/libraries')]) {
        const error = await call().catch((caught: unknown) => caught)
        expect(error).toBeInstanceOf(ApiError)
        const { message, stack, code, body, cause } = error as ApiError
        expect(JSON.stringify({ message, stack, code, body, cause: String(cause) })).not.toMatch(secrets)
      }
    }
  })

  it.each(['', '.', '..'])(
    'is thrown for the path parameter "%s", which would address a different resource',
    async (trackId) => {
      await expect(
        server.createClient().delete('/v1/tracks/{trackId}', { params: { path: { trackId } } }),
      ).rejects.toThrow('the path parameter trackId of /v1/tracks/{trackId} must be a non-empty string')
      expect(server.requests()).toEqual([])
    },
  )

  it('is not thrown for a response without a body', async () => {
    server.script(respond(204, null))
    const removed = server
      .createClient()
      .delete('/v1/tracks/{trackId}', { params: { path: { trackId: 'a/b' } } })
    expect(await removed).toBeUndefined()
    expect(server.requests()[0]?.path).toBe('/v1/tracks/a%2Fb')
  })
})
