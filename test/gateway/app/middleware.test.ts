import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { GatewayMiddleware } from '#gateway/app/middleware.ts'
import { forwarded, native, page, startMiddlewareGateway } from './middleware-gateway.ts'

const { gateway, mounted, reset, get } = startMiddlewareGateway()

const responseKinds = [
  ['native', native, 404],
  ['forwarded', forwarded, 200],
  ['page', page, 200],
] as const

describe.each(responseKinds)('middleware around a %s response', (kind, path, status) => {
  it('adds the headers that it set before next()', async () => {
    mounted.first = async (context, next) => {
      context.header('Strict-Transport-Security', 'max-age=1')
      await next()
    }
    const response = await get(path)
    expect(response.status).toBe(status)
    expect(response.headers.get('strict-transport-security')).toBe('max-age=1')
  })

  it('sends each cookie in a separate header', async () => {
    mounted.first = async (context, next) => {
      context.header('Set-Cookie', 'a=1; Path=/', { append: true })
      context.header('Set-Cookie', 'b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT', { append: true })
      await next()
    }
    const { headers } = await get(path)
    expect(headers.getSetCookie()).toEqual(['a=1; Path=/', 'b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT'])
  })

  it('cannot set service, CORS, framing or hop-by-hop headers', async () => {
    const reserved = {
      'x-service-core-runtime': 'other',
      'x-service-native-route': 'other',
      'x-request-id': 'other',
      'access-control-allow-origin': '*',
      'access-control-allow-credentials': 'true',
      'content-length': '1',
      'content-type': 'text/other',
      'transfer-encoding': 'chunked',
      connection: 'close',
      'keep-alive': 'timeout=1',
      upgrade: 'other',
    }
    const before = await get(path, { origin: 'https://app.example', 'x-request-id': 'of-the-test' })
    mounted.first = async (context, next) => {
      for (const [name, value] of Object.entries(reserved)) context.header(name, value)
      await next()
    }
    const after = await get(path, { origin: 'https://app.example', 'x-request-id': 'of-the-test' })
    expect(after.body).toEqual(before.body)
    const names = [...Object.keys(reserved), 'vary']
    const select = ({ headers }: typeof after) =>
      Object.fromEntries(names.map((name) => [name, headers.get(name)]))
    expect(select(after)).toEqual(select(before))
  })

  it('appends to Vary instead of replacing it', async () => {
    mounted.first = async (context, next) => {
      context.header('Vary', 'Accept-Language')
      await next()
    }
    const { headers } = await get(path)
    expect(headers.get('vary')?.split(', ').sort()).toEqual(['Accept-Language', 'Origin'])
  })

  it('can read status, runtime and duration after next()', async () => {
    let seen: unknown
    mounted.first = async ({ env: { context } }, next) => {
      expect(context.outcome.status).toBeUndefined()
      await next()
      const { outcome } = context
      seen = { status: outcome.status, runtime: outcome.runtime, measured: context.durationMs() > 0 }
    }
    await get(path)
    const runtime = kind === 'forwarded' ? 'proxy' : 'native'
    await expect.poll(() => seen).toEqual({ status, runtime, measured: true })
  })

  it("adds its headers to a HEAD response, which keeps GET's content length", async () => {
    mounted.first = async (context, next) => {
      context.header('X-Added', 'yes')
      await next()
    }
    const head = await gateway.request('HEAD', path)
    expect(head.status).toBe(status)
    expect(head.headers.get('x-added')).toBe('yes')
    expect(head.body).toBe('')
    const { headers } = await get(path)
    expect(head.headers.get('content-length')).toBe(headers.get('content-length'))
  })

  it('cannot replace the response once its head is sent, and the attempt is logged', async () => {
    mounted.first = async (context, next) => {
      await next()
      context.res = new Response('too late', { status: 418 })
    }
    const response = await get(path)
    expect(response.status).toBe(status)
    expect(response.body).not.toBe('too late')
    // The log is throttled, so there is one line for all of this file's responses.
    const lines = () => gateway.log.lines.filter(({ message }) => message === 'middleware response ignored')
    await expect.poll(() => lines().length).toBe(1)
    expect(lines()[0]?.fields.traceId).toMatch(/^[0-9a-f]{32}$/)
  })

  it('cannot set headers on context.res after next()', async () => {
    mounted.first = async (context, next) => {
      await next()
      expect(context.res.body).toBeNull()
      context.res.headers.set('x-late', 'yes')
    }
    expect((await get(path)).headers.get('x-late')).toBeNull()
    reset()
    expect((await get(path)).headers.get('x-late')).toBeNull()
  })

  it.each([
    [
      'synchronously',
      () => {
        throw new Error('before next')
      },
    ],
    [
      'asynchronously',
      async () => {
        await sleep(1)
        throw new Error('before next')
      },
    ],
    [
      'a value that is not an Error',
      async () => {
        throw 'a string'
      },
    ],
  ] as const)('causes a 500 if it throws before next(): %s', async (_, fail) => {
    mounted.second = fail as GatewayMiddleware
    const { status, headers, body } = await get(path)
    expect(status).toBe(500)
    expect(body).toMatchObject({ error: 'internal_error' })
    expect(headers.get('x-service-core-runtime')).toBe('native')
    expect(headers.get('x-request-id')).toMatch(/./)
    expect(JSON.stringify(body)).not.toContain('before next')
  })

  it('may throw after next(), and the response is still sent', async () => {
    mounted.first = async (_context, next) => {
      await next()
      throw new Error('after next')
    }
    expect((await get(path)).status).toBe(status)
    expect((await get(path)).status).toBe(status)
  })

  it('causes a 500 if it neither calls next() nor returns a Response', async () => {
    mounted.first = async () => {}
    expect((await get(path)).status).toBe(500)
  })

  it('can return a Response instead of calling next(), and the core gets no request', async () => {
    const requestId = `short-${kind}`
    const before = gateway.core.requests.length
    mounted.first = async (context) => {
      context.header('X-Reason', 'maintenance')
      context.header('Set-Cookie', 'a=1', { append: true })
      return context.json({ message: 'back soon' }, 503)
    }
    const { status, headers, body } = await get(path, { 'x-request-id': requestId })
    expect(status).toBe(503)
    expect(body).toEqual({ message: 'back soon' })
    expect(headers.get('x-reason')).toBe('maintenance')
    expect(headers.getSetCookie()).toEqual(['a=1'])
    expect(headers.get('x-request-id')).toBe(requestId)
    expect(headers.get('x-service-core-runtime')).toBe('native')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(gateway.core.requests.length).toBe(before)
    await expect
      .poll(() => gateway.log.forRequest(requestId).map(({ fields }) => fields.status))
      .toEqual([503])
  })

  it('can read the path, the query and the headers', async () => {
    let seen: unknown
    mounted.first = async ({ req }, next) => {
      seen = [req.path, new URL(req.url).pathname, req.query('q'), req.header('x-test')]
      await next()
    }
    await get(`${path}?q=1`, { 'x-test': 'here' })
    expect(seen).toEqual([path, path, '1', 'here'])
  })
})
