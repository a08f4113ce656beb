import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { platforms } from '#test/support/gateway-options.ts'
import { sendRaw } from '#test/support/raw-client.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8'
const wantHtml = [
  browser,
  'text/html',
  'TEXT/HTML; charset=utf-8',
  'text/html, */*',
  'application/json;q=0.5, text/html;q=0.9',
]
const wantNoHtml = [
  null,
  '',
  '*/*',
  'application/json',
  'application/json, text/plain, */*',
  'application/json, text/html',
  'text/html;q=0',
  'text/html;q=0.0, */*',
  'text/html;q=0.1, application/json',
  'text/plain',
]

describe.each(platforms)('/ on %s', (platform) => {
  // A sandbox variable, which production does not read.
  const environment = { SANDBOX_TOKEN_URL: 'http://127.0.0.1:9/sandbox/token' }
  const gateway = startTestGateway({ control: 'fixed', core: 'recording', platform, environment })

  // `fetch` would always send an `Accept` header.
  const send = async (method: string, path: string, accept: string | null) => {
    const lines = [`${method} ${path} HTTP/1.1`, 'Host: x', 'X-Request-Id: request-of-the-test']
    if (accept !== null) lines.push(`Accept: ${accept}`)
    return sendRaw(Number(new URL(gateway.url).port), `${lines.join('\r\n')}\r\n\r\n`, method)
  }
  /** Sends a request and returns the response, without the `Date` header. */
  const see = async (method: string, path: string, accept: string | null) => {
    const { status, headers, body } = await send(method, path, accept)
    return { status, body, headers: headers.filter(([name]) => name.toLowerCase() !== 'date') }
  }

  it.each(wantHtml)('returns a page with the standard headers for Accept "%s"', async (accept) => {
    const page = await send('GET', '/', accept)
    expect(page.status).toBe(200)
    expect(page.body).toContain('<h1>Crossfade</h1>')
    expect(page.header('content-type')).toBe('text/html; charset=UTF-8')
    expect(page.header('cache-control')).toBe('no-store')
    expect(page.header('vary')?.toLowerCase()).toContain('accept')
    expect(page.header('x-service-core-runtime')).toBe('native')
    expect(page.header('x-service-native-route')).toBe('unmatched')
    expect(page.header('x-service-proxy-fallback')).toBe('0')
    expect(page.header('x-request-id')).toBe('request-of-the-test')
    const head = await send('HEAD', '/', accept)
    expect([head.status, head.body]).toEqual([200, ''])
    expect(head.header('content-length')).toBe(String(Buffer.byteLength(page.body)))
    expect((await send('GET', '/?x=1', accept)).status).toBe(200)
  })

  it.each(wantNoHtml)('returns 404 for Accept "%s"', async (accept) => {
    expect((await send('GET', '/', accept)).status).toBe(404)
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expect(await see(method, '/', accept), method).toEqual(await see(method, '/nowhere', accept))
  })

  it('returns 404 for other methods, even from a browser', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expect(await see(method, '/', browser), method).toEqual(await see(method, '/nowhere', browser))
    const { status, body } = await send('POST', '/', browser)
    expect([status, JSON.parse(body)]).toEqual([404, errorBody('route_not_found')])
  })

  it.each(['//', '/%2F', '/%20', '/;x', '/index.html'])('is not served as %s', async (path) => {
    expect([400, 404]).toContain((await send('GET', path, browser)).status)
  })

  it('links to the docs, and shows nothing from the sandbox', async () => {
    const { body, header } = await send('GET', '/', browser)
    const links = [...body.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href)
    expect(links).toEqual(['/docs', '/openapi.json'])
    for (const path of links) expect((await send('GET', path ?? '', browser)).status).toBe(200)
    expect(body).not.toMatch(/<script|<button|token|sandbox|console|127\.0\.0\.1|https?:/i)
    expect(header('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]+='; img-src data:; base-uri/,
    )
    expect((await send('POST', '/sandbox/token', browser)).status).toBe(404)
  })

  it('never reaches the core', () => expect(gateway.core.requests).toEqual([]))
})
