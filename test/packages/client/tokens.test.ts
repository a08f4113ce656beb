import { describe, expect, it } from 'vitest'
import { createTokenSource } from '#client/token-source.ts'
import { respond, startScriptedServer } from './scripted-server.ts'

const list = { records: [] }

describe("the client's access token", () => {
  const server = startScriptedServer()

  const requireToken = (accepted: string) =>
    server.script((response, request) => {
      const isAccepted = request.headers.authorization === `Bearer ${accepted}`
      respond(isAccepted ? 200 : 401, isAccepted ? list : 'authentication_required')(response, request)
    })

  it('is replaced once for all requests that were rejected with it', async () => {
    requireToken('new')
    const asked: (string | undefined)[] = []
    const client = server.createClient({
      getToken: async (rejected) => {
        asked.push(rejected)
        await new Promise((resolve) => setTimeout(resolve, 30))
        return rejected === undefined ? 'old' : 'new'
      },
    })
    const results = await Promise.all(Array.from({ length: 8 }, () => client.get('/v1/libraries')))
    expect(results).toEqual(Array(8).fill(list))
    expect(asked).toEqual([undefined, 'old'])
    expect(server.requests().length).toBe(16)
    await client.get('/v1/libraries')
    expect(asked.length).toBe(2)
  })

  it('is replaced once for rejections that are handled at the same moment', async () => {
    const asked: (string | undefined)[] = []
    const tokens = createTokenSource((rejected) => {
      asked.push(rejected)
      return rejected === undefined ? 'old' : 'new'
    })
    await tokens.get()
    const replaced = await Promise.all([tokens.replace('old'), tokens.replace('old'), tokens.replace('old')])
    expect(replaced).toEqual(['new', 'new', 'new'])
    expect(asked).toEqual([undefined, 'old'])
  })

  it('is replaced for a rejected write, which keeps its idempotency key', async () => {
    server.script(respond(401, 'authentication_required'), respond(201, { id: 'trk_1' }))
    const client = server.createClient({ getToken: (rejected) => (rejected ? 'new' : 'old') })
    await client.post('/v1/tracks', { body: { title: 'Night Drive', artist: 'The Owls' } })
    const [first, second] = server.requests().map(({ headers }) => headers)
    expect([first?.authorization, second?.authorization]).toEqual(['Bearer old', 'Bearer new'])
    expect(first?.['idempotency-key']).toBe(second?.['idempotency-key'])
  })

  it('is replaced only once per request', async () => {
    server.script(respond(401, 'authentication_required'))
    let count = 0
    const client = server.createClient({ getToken: () => `token-${++count}` })
    await expect(client.get('/v1/libraries')).rejects.toMatchObject({ status: 401 })
    expect([count, server.requests().length]).toEqual([2, 2])
  })

  it('is not sent again if it cannot be replaced', async () => {
    server.script(respond(401, 'authentication_required'))
    await expect(server.createClient().get('/v1/libraries')).rejects.toMatchObject({ status: 401 })
    expect(server.requests().length).toBe(1)
  })

  it('is requested again by the next call if getToken has failed', async () => {
    requireToken('good')
    let count = 0
    const client = server.createClient({
      getToken: () => {
        count += 1
        if (count === 1) throw new Error('the issuer is unreachable')
        return 'good'
      },
    })
    await expect(client.get('/v1/libraries')).rejects.toThrow('the issuer is unreachable')
    expect(await client.get('/v1/libraries')).toEqual(list)
  })

  it('is still replaced for the other waiting requests if one is aborted', async () => {
    requireToken('new')
    const refresh = Promise.withResolvers<string>()
    const client = server.createClient({ getToken: (rejected) => (rejected ? refresh.promise : 'old') })
    const controller = new AbortController()
    const aborted = client.get('/v1/libraries', { signal: controller.signal })
    const waiting = client.get('/v1/libraries')
    await expect.poll(() => server.requests().length).toBe(2)
    controller.abort(new Error('closed'))
    await expect(aborted).rejects.toThrow('closed')
    refresh.resolve('new')
    expect(await waiting).toEqual(list)
  })

  it.each(['', 'secret token', 'secret\ntoken', 'secret-tökén'])(
    'is rejected, but not shown, if it is not a valid header value: %j',
    async (token) => {
      const error = await server
        .createClient({ getToken: () => token })
        .get('/v1/libraries')
        .catch((caught: unknown) => caught)
      expect(String(error)).toBe('TypeError: the access token must consist of visible ASCII characters')
      expect(server.requests()).toEqual([])
    },
  )

  it('is neither needed nor sent for share links', async () => {
    server.script(respond(200))
    const init = { params: { path: { token: 'share-token' } } }
    await server.createClient().get('/v1/public/track-links/{token}', init)
    await server.createClient({ getToken: undefined }).get('/v1/public/track-links/{token}', init)
    for (const { headers } of server.requests()) expect(headers).not.toHaveProperty('authorization')
  })
})
