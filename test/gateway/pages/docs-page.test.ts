import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'

const gateway = startTestGateway({ control: 'fixed' })

const page = async () => (await gateway.request('GET', '/docs')).body as string

const bundlePath = async () => /<script src="([^"]+)"/.exec(await page())?.[1] ?? ''

describe('/docs', () => {
  it('returns a page with the standard headers', async () => {
    const { status, headers } = await gateway.request('GET', '/docs')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^text\/html/)
    expect(headers.get('x-service-core-runtime')).toBe('native')
    expect(headers.get('x-service-native-route')).toBe('unmatched')
    expect(headers.get('x-service-proxy-fallback')).toBe('0')
    expect(headers.get('x-request-id')).toMatch(/./)
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('loads nothing from other origins', async () => {
    const loaded = [
      ...(await page()).matchAll(/(?:src|href|action|url|import)\s*[=(:"']+\s*["']?([^"')\s>]+)/gi),
    ]
    expect(loaded.map(([, address]) => address)).toContain(await bundlePath())
    expect(await page()).not.toMatch(/(?:https?:)?\/\/[a-z0-9]/i)
    expect(await page()).toContain("url: '/openapi.json'")
    // By default, Swagger UI sends the document to an external validator.
    expect(await page()).toContain('validatorUrl: null')
  })

  it('allows only scripts with its nonce', async () => {
    const { headers, body } = await gateway.request('GET', '/docs')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/)
    expect(policy).toContain("default-src 'none'")
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1]
    const scripts = [...(body as string).matchAll(/<script([^>]*)>/g)]
    expect(scripts).toHaveLength(3)
    for (const [, attributes] of scripts) expect(attributes).toContain(`nonce="${nonce}"`)
  })

  it('creates a new nonce for each request', async () => {
    const nonces = [await page(), await page()].map((html) => /nonce="([^"]+)"/.exec(html)?.[1])
    expect(new Set(nonces).size).toBe(2)
  })

  it('serves the Swagger UI script with and without compression', async () => {
    const url = gateway.url + (await bundlePath())
    const compressed = await fetch(url, { headers: { 'accept-encoding': 'gzip' } })
    const plain = await fetch(url, { headers: { 'accept-encoding': 'gzip;q=0, identity' } })
    expect(compressed.headers.get('content-encoding')).toBe('gzip')
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(plain.headers.get('content-type')).toMatch(/^text\/javascript/)
    expect(plain.headers.get('x-service-core-runtime')).toBe('native')
    expect(plain.headers.get('vary')?.toLowerCase()).toContain('accept-encoding')
    const text = await plain.text()
    expect(text.length).toBeGreaterThan(1_000_000)
    expect(await compressed.text()).toBe(text)
    expect(text).toContain('SwaggerUIBundle')
  })

  it('lets caches keep an asset only if the URL contains its content hash', async () => {
    const cacheControlOf = async (path: string) =>
      (await fetch(gateway.url + path, { method: 'HEAD' })).headers.get('cache-control')
    const style = /rel="stylesheet" href="([^"]+)"/.exec(await page())?.[1] ?? ''
    for (const path of [await bundlePath(), style]) {
      expect(path).toMatch(/\?v=[\w-]{16}$/)
      expect(await cacheControlOf(path)).toBe('public, max-age=31536000, immutable')
      expect(await cacheControlOf(`${path}x`)).toBe('no-store')
      expect(await cacheControlOf(path.replace(/\?.*/, ''))).toBe('no-store')
    }
  })

  it('returns 405 for POST', async () => {
    expect((await gateway.request('POST', '/docs')).status).toBe(405)
  })

  it('returns 404 for an unknown path below /docs', async () => {
    expect((await gateway.request('GET', '/docs/other.js')).status).toBe(404)
  })
})
