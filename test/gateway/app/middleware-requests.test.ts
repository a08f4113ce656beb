import { setTimeout as sleep } from 'node:timers/promises'
import { HTTPException } from 'hono/http-exception'
import { describe, expect, it } from 'vitest'
import { get as rawGet, sendRaw } from '#test/support/raw-client.ts'
import { bytes } from '#test/support/raw-core.ts'
import { forwarded, native, page, startMiddlewareGateway } from './middleware-gateway.ts'

const { gateway, mounted, reset, get } = startMiddlewareGateway()

const port = () => Number(new URL(gateway.url).port)

describe('middleware', () => {
  it('causes a 500 if it sets an invalid header value, and the core gets no request', async () => {
    mounted.first = async (context, next) => {
      context.header('X-Tenant', context.req.query('tenant') ?? '')
      await next()
    }
    const before = gateway.core.requests.length
    const { status, headers, body } = await get(`${forwarded}?tenant=%01`)
    expect(status).toBe(500)
    expect(body).toMatchObject({ error: 'internal_error' })
    expect(headers.get('x-tenant')).toBeNull()
    expect(gateway.core.requests.length).toBe(before)
    expect(JSON.stringify(gateway.log.lines)).not.toContain('\\u0001')
    expect((await get(`${forwarded}?tenant=a`)).headers.get('x-tenant')).toBe('a')
  })

  it('can respond by throwing an HTTPException', async () => {
    mounted.first = async (context, next) => {
      context.header('X-Added', 'yes')
      await next()
    }
    mounted.second = async () => {
      throw new HTTPException(401, { message: 'sign in first' })
    }
    const { status, headers, body } = await get(native)
    expect(status).toBe(401)
    expect(body).toBe('sign in first')
    expect(headers.get('x-added')).toBe('yes')
    expect(headers.get('x-service-core-runtime')).toBe('native')
  })

  it('adds its headers even if later middleware fails or responds itself', async () => {
    mounted.first = async (context, next) => {
      context.header('X-Added', 'yes')
      await next()
    }
    mounted.second = async () => {
      throw new Error('unexpected')
    }
    expect((await get(native)).headers.get('x-added')).toBe('yes')
    mounted.second = async () => new Response('plain')
    expect((await get(native)).headers.get('x-added')).toBe('yes')
  })

  it('can set a content security policy', async () => {
    mounted.first = async (context, next) => {
      context.header('Content-Security-Policy', "default-src 'none'")
      await next()
    }
    expect((await get(forwarded)).headers.get('content-security-policy')).toBe("default-src 'none'")
  })

  it.each(['999.1.1.1', 'a.example'])('sees a valid URL if the Host header is %s', async (host) => {
    let seen = ''
    mounted.first = async ({ req }, next) => {
      seen = req.url
      await next()
    }
    const { status } = await sendRaw(port(), `GET ${page} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    expect(status).toBe(200)
    expect(new URL(seen).pathname).toBe(page)
  })

  it.each(['text', 'json', 'arrayBuffer', 'blob', 'formData', 'bytes'] as const)(
    'gets an explanatory error if it reads the body with %s()',
    async (read) => {
      let failure: unknown
      mounted.first = async ({ req }, next) => {
        await (req.raw[read]() as Promise<unknown>).catch((error: unknown) => {
          failure = error
        })
        await next()
      }
      const { status } = await gateway.request('POST', forwarded, { body: { name: 'x' } })
      expect(status).toBe(200)
      expect(failure).toMatchObject({ message: expect.stringContaining('cannot read the request body') })
      expect((await gateway.core.requests.at(-1)!.body).toString()).toBe('{"name":"x"}')
    },
  )

  it('sends each of two concurrent accounts only the headers that were set for that account', async () => {
    const accounts = await Promise.all([gateway.signUp(), gateway.signUp()])
    mounted.first = async (context, next) => {
      const credential = context.req.header('authorization') ?? ''
      context.header('X-Credential', credential)
      context.header('Set-Cookie', `credential=${credential.slice(-20)}`)
      await next()
      context.res.headers.set('x-late', credential)
    }
    const requests = Array.from({ length: 40 }, (_, index) => accounts[index % 2]!)
    const responses = await Promise.all(
      requests.map((account, index) => account.get(index % 4 < 2 ? '/v1/libraries' : forwarded)),
    )
    for (const [index, { headers }] of responses.entries()) {
      const { token } = requests[index]!
      expect(headers.get('x-credential')).toBe(`Bearer ${token}`)
      expect(headers.getSetCookie()).toEqual([`credential=${token.slice(-20)}`])
      expect(headers.get('x-late')).toBeNull()
    }
  })

  it('continues after next() only once the response has ended', async () => {
    const size = 5_000_000
    let endedAfter = 0
    let received = 0
    mounted.first = async (_context, next) => {
      await next()
      endedAfter = received
    }
    gateway.core.nextReplies.push((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`)
      socket.write(Buffer.alloc(size - 1))
      setTimeout(() => socket.write('x'), 100)
    })
    const response = await fetch(gateway.url + forwarded)
    for await (const chunk of response.body!) received += chunk.length
    await expect.poll(() => endedAfter).toBeGreaterThan(size / 2)
  })

  it('continues after next() even if the core aborts its response', async () => {
    let seen: unknown
    mounted.first = async ({ env: { context } }, next) => {
      await next()
      seen = { status: context.outcome.status, error: context.outcome.error }
    }
    gateway.core.nextReplies.push((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart')
      setTimeout(() => socket.destroy(), 20)
    })
    const response = await sendRaw(port(), rawGet(forwarded))
    expect(response).toMatchObject({ status: 200, complete: false })
    await expect.poll(() => seen).toEqual({ status: 200, error: 'core_bad_response' })
  })

  it("whose Response body fails partway closes only that request's connection", async () => {
    mounted.first = async () => {
      let pieces = 0
      const body = new ReadableStream({
        async pull(controller) {
          pieces += 1
          await sleep(20)
          if (pieces > 3) controller.error(new Error('the source failed'))
          else controller.enqueue(new TextEncoder().encode('piece'))
        },
      })
      return new Response(body)
    }
    const response = await sendRaw(port(), rawGet(forwarded))
    expect(response).toMatchObject({ status: 200, complete: false })
    reset()
    expect((await get(page)).status).toBe(200)
  })

  it('runs for a preflight request', async () => {
    let seen: unknown
    mounted.first = async ({ req, env }, next) => {
      await next()
      seen = [req.method, env.context.outcome.status]
    }
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'PUT' }
    const { status } = await gateway.request('OPTIONS', native, { headers })
    expect(status).toBe(204)
    expect(seen).toEqual(['OPTIONS', 204])
  })

  it("can replace a core header without losing the core's cookies", async () => {
    mounted.first = async (context, next) => {
      context.header('Server', 'edge')
      context.header('Set-Cookie', 'ours=1')
      await next()
    }
    gateway.core.nextReplies.push(
      bytes('HTTP/1.1 200 OK\r\nServer: core\r\nSet-Cookie: core=1\r\nContent-Length: 0\r\n\r\n'),
    )
    const { headers } = await get(forwarded)
    expect(headers.get('server')).toBe('edge')
    expect(headers.getSetCookie()).toEqual(['core=1', 'ours=1'])
  })

  it('cannot replace the headers that keep a share page private', async () => {
    mounted.first = async (context, next) => {
      context.header('Referrer-Policy', 'unsafe-url')
      context.header('X-Robots-Tag', 'all')
      await next()
    }
    const { headers } = await get(native)
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-robots-tag')).toBe('noindex')
  })
})
