import { describe, expect, it } from 'vitest'
import { create } from '#contracts/libraries.ts'
import { defineRoute } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { get, openRawClient, sendRaw } from '#test/support/raw-client.ts'
import { head } from '../../http/wire.ts'

const secret = 'a-value-that-must-not-be-logged'

const failingHandlers = {
  ...handlers,
  'libraries.create': defineRoute(create, async ({ body }) => {
    throw new Error(`broken by ${body.name}`)
  }),
}

describe('the log', () => {
  const gateway = startTestGateway({ control: 'fixed', core: 'recording', handlers: failingHandlers })
  const serializeLog = () => JSON.stringify(gateway.log.lines)

  it('contains the route of a request but no token, path, query or body', async () => {
    const account = await gateway.signUp()
    await account.get(`/v1/libraries/${secret}?code=${secret}`)
    await account.get(`/v1/public/track-links/${secret}?visitorId=${secret}`)
    await account.get(`/v1/unheard-of/${secret}`)
    await account.post('/v1/packs', { name: secret }, { cookie: `session=${secret}` })
    await gateway.request('GET', '/v1/libraries', { token: secret })
    await expect
      .poll(() => gateway.log.lines.filter(({ message }) => message === 'request').length)
      .toBeGreaterThan(4)
    expect(serializeLog()).not.toContain(secret)
    expect(serializeLog()).not.toContain(account.token)
    expect(gateway.log.lines.map(({ fields }) => fields.route)).toEqual(
      expect.arrayContaining(['libraries.detail', 'public.track-links.detail', 'unmatched', 'packs.create']),
    )
  })

  it('describes an unexpected error by its request id and stack, but without its message', async () => {
    const account = await gateway.signUp()
    const response = await account.post('/v1/libraries', { name: secret }, { 'x-request-id': 'req-1' })
    expect([response.status, response.body]).toEqual([500, errorBody('internal_error')])
    expect(response.headers.get('x-request-id')).toBe('req-1')
    const failure = gateway.log.forRequest('req-1').find(({ level }) => level === 'error')
    expect(failure?.fields).toMatchObject({ route: 'libraries.create', error: 'internal_error' })
    expect(JSON.stringify(failure)).toContain('log.test.ts')
    expect(serializeLog()).not.toContain(secret)
  })

  it('records whether the client or the core aborted a response', async () => {
    const part = 'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\npart'
    const client = await openRawClient(Number(new URL(gateway.url).port))
    gateway.core.nextReplies.push((socket) => socket.write(part))
    client.send(get('/v1/tracks', 'X-Request-Id: req-left'))
    await expect.poll(() => client.text()).toContain('part')
    client.socket.destroy()
    gateway.core.nextReplies.push((socket) => socket.write(part, () => socket.destroy()))
    await sendRaw(Number(new URL(gateway.url).port), get('/v1/tracks', 'X-Request-Id: req-cut'))
    const findFields = (id: string) => gateway.log.forRequest(id).map(({ fields }) => fields)
    for (const [id, error] of [
      ['req-left', 'client_gone'],
      ['req-cut', 'core_bad_response'],
    ] as const)
      await expect.poll(() => findFields(id)).toMatchObject([{ status: 200, runtime: 'proxy', error }])
  })

  it('contains one line for a request with a malformed body', async () => {
    const { token } = await gateway.signUp()
    const before = gateway.log.lines.length
    const client = await openRawClient(Number(new URL(gateway.url).port))
    const authorization = `Authorization: Bearer ${token}`
    client.send(`${head('POST /v1/libraries', authorization, 'Transfer-Encoding: chunked')}1\r\n{\r\n`)
    await new Promise((resolve) => setTimeout(resolve, 100))
    client.send('zz\r\n')
    expect((await client.receiveResponse()).status).toBe(400)
    await client.waitForClose()
    const lines = () => gateway.log.lines.slice(before).map(({ fields }) => fields)
    await expect.poll(lines).toMatchObject([{ route: 'libraries.create', status: 400, error: 'bad_request' }])
  })

  it.each(['has spaces', '"quoted"', 'x'.repeat(129), 'ümlaut'])(
    'replaces the invalid request id %s',
    async (id) => {
      const response = await gateway.request('GET', '/v1/libraries', {
        headers: { 'x-request-id': encodeURI(id) },
      })
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    },
  )
})
