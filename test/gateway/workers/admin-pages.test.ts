import { describe, expect, it } from 'vitest'
import { handlers } from '#native-routes/index.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { sendRaw } from '#test/support/raw-client.ts'
import { startTestWorker } from '#test/support/worker.ts'
import { adminPages, listOtherSpellings, publicPages } from '../pages/page-cases.ts'

const gateway = startTestGateway({ core: 'recording' })
const worker = startTestWorker(gateway)
const token = () => gateway.settings.INTERNAL_TOKEN ?? ''

const sendTo = (origin: string, path: string, bearer: string) => {
  const lines = [`GET ${path} HTTP/1.1`, 'Host: worker.example', `Authorization: Bearer ${bearer}`]
  return sendRaw(Number(new URL(origin).port), `${lines.join('\r\n')}\r\n\r\n`)
}

// The runtime resolves these spellings before the gateway receives the request.
const isResolvedByRuntime = (spelling: string) => /^\/\.\/|\/\.\.\/|\/\.$|\\/.test(spelling)

describe("a Worker's admin pages", () => {
  it.each(adminPages)(
    'are served uncached to clients with the internal token, even if there is a query: %s',
    async (path) => {
      for (const target of [path, `${path}?x=1`]) {
        const { status, headers } = await worker.request('GET', target, { token: token() })
        expect([target, status]).toEqual([target, 200])
        // A private cache may store the API description, but must revalidate it before each use.
        const policy = path === '/openapi.json' ? 'private, no-cache' : 'no-store'
        expect(headers.get('cache-control')).toBe(policy)
        expect(headers.get('x-request-id')).toMatch(/./)
      }
    },
  )

  it('show metrics, states and internal routes', async () => {
    const send = async (path: string) => (await worker.request('GET', path, { token: token() })).body
    expect(await send('/metrics')).toContain('crossfade_request_duration_seconds')
    expect(await send('/metrics')).toContain('\ncrossfade_breaker_open{breaker="core"} 0\n')
    expect(await send('/readyz')).toMatchObject({
      status: 'ready',
      database: 'up',
      core: 'up',
      breakers: { core: 'closed', routes: [] },
    })
    expect(JSON.stringify(await send('/openapi.json'))).toContain('/v1/internal/')
  })

  it('show the same build id and evidence keys as on Node', async () => {
    const onNode = await gateway.requestAdmin('GET', '/build')
    const onWorkers = await worker.request('GET', '/build', { token: token() })
    expect(onNode.body).toEqual({
      build: expect.stringMatching(/^[0-9a-f]{12}$/),
      evidenceKeys: Object.fromEntries(
        Object.keys(handlers).map((label) => [label, expect.stringMatching(/^[0-9a-f]{32}$/)]),
      ),
    })
    expect(onWorkers.body).toEqual(onNode.body)
  })

  it.each(['', 'wrong', 'internal-token-of-the-test', 'internal-token-of-the-tests2'])(
    'are hidden from clients with the token "%s"',
    async (wrong) => {
      const send = (path: string) => worker.request('GET', path, { token: wrong })
      const metrics = await send('/metrics')
      expect(metrics).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
      expect(metrics.headers.get('www-authenticate')).toBe('Bearer')
      expect(metrics.headers.get('cache-control')).toBe('no-store')
      expect(await send('/build')).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
      expect(await send('/readyz')).toMatchObject({ status: 200 })
      expect((await send('/readyz')).body).toEqual({ status: 'ready' })
      expect(JSON.stringify((await send('/openapi.json')).body)).not.toContain('/v1/internal/')
    },
  )

  it.each(adminPages)('are not served under a different spelling of %s', async (path) => {
    const isPublic = publicPages.includes(path)
    for (const spelling of listOtherSpellings(path)) {
      for (const bearer of [token(), 'wrong']) {
        const { status } = await sendTo(worker.origin(), spelling, bearer)
        const expected = isResolvedByRuntime(spelling)
          ? [200, 400, 404, ...(isPublic ? [] : [401])]
          : [400, 404]
        expect(expected, `${spelling} ${bearer}`).toContain(status)
      }
    }
  })
})

describe('a Worker without an internal token', () => {
  const closed = startTestWorker(gateway, { INTERNAL_TOKEN: '' })

  it('serves no admin page, whatever token is sent', async () => {
    for (const sent of [token(), '', 'undefined', 'null']) {
      const metrics = await closed.request('GET', '/metrics', { token: sent })
      expect(metrics).toMatchObject({ status: 404, body: { error: 'route_not_found' } })
      expect((await closed.request('GET', '/readyz', { token: sent })).body).toEqual({ status: 'ready' })
      const { body } = await closed.request('GET', '/openapi.json', { token: sent })
      expect(JSON.stringify(body)).not.toContain('/v1/internal/')
    }
  })
})
