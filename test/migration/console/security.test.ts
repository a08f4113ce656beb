import { describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { testOperators } from '#test/support/operators.ts'
import { createConsoleClient } from './browse.ts'

describe('the console', () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })
  const { get, post, signIn } = createConsoleClient(gateway)
  const pages = [
    '/console',
    '/console/routes/tracks.list',
    '/console/audit',
    '/console/accounts',
    '/console/instances',
  ]
  const changePath = '/console/routes/tracks.list/change'
  const kill = { kind: 'kill', reason: 'a test' }
  const readAudit = async () => [...(await gateway.database.sql`select * from route_audit`)]

  it.each([...pages, '/console/unknown'])(
    'sends %s with a content security policy that allows only its own resources and no embedding',
    async (path) => {
      const { headers } = await get(path, await signIn())
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      )
      expect(headers.get('referrer-policy')).toBe('same-origin')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    },
  )

  it('has no inline script or style', async () => {
    const cookie = await signIn()
    for (const path of pages) {
      const { body } = await get(path, cookie)
      expect(body).not.toMatch(/<style|<script(?! src=)|\sstyle=|\son\w+=/i)
    }
  })

  it('serves styles and scripts without a session, and lets browsers cache them', async () => {
    const { body } = await get('/console/sign-in')
    const addresses = [...body.matchAll(/(?:href|src)="(\/console\/console\.\w+\?v=\w+)"/g)].map(
      ([, each]) => each,
    )
    expect(addresses).toHaveLength(2)
    let bytes = 0
    for (const address of addresses) {
      const { status, headers, body } = await get(address)
      bytes += Buffer.byteLength(body)
      expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
      expect((await get(`${address}x`)).headers.get('cache-control')).toBe('no-store')
    }
    expect(bytes).toBeLessThan(60_000)
  })

  it.each([
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from another origin on this host', { 'sec-fetch-site': 'same-site' }],
    ['without an origin', { 'sec-fetch-site': '' }],
    ['with another origin', { 'sec-fetch-site': '', origin: 'http://attacker.example' }],
    ['with a hidden origin', { 'sec-fetch-site': '', origin: 'null' }],
  ])('rejects a form %s', async (_, headers) => {
    const cookie = await signIn()
    for (const path of [changePath, '/console/sign-out', '/console/sign-in'])
      expect((await post(path, kill, { cookie, headers })).status).toBe(403)
    expect(await readAudit()).toEqual([])
  })

  it('rejects a body that is not a submitted form', async () => {
    const headers = { 'content-type': 'application/json' }
    expect((await post(changePath, kill, { cookie: await signIn(), headers })).status).toBe(400)
    expect(await readAudit()).toEqual([])
  })

  it('shows readers no form that changes anything, and rejects one that they send anyway', async () => {
    const cookie = await signIn('rob')
    for (const path of pages) {
      const { status, body } = await get(path, cookie)
      expect(status).toBe(200)
      const forms = [...body.matchAll(/<form[^>]*action="([^"]+)"/g)].map(([, action]) => action)
      expect(forms.filter((action) => /change|override|forget/.test(action ?? ''))).toEqual([])
      expect(body).not.toMatch(/\/change\?|\/forget|\/override/)
    }
    for (const path of [changePath, '/console/accounts/override', '/console/instances/x/forget']) {
      expect((await get(path, cookie)).status).toBe(403)
      expect((await post(path, kill, { cookie })).status).toBe(403)
    }
    expect(await readAudit()).toEqual([])
  })

  it('rejects a change without a session, and returns to the filled-in form after sign-in', async () => {
    const response = await post(changePath, kill)
    expect(response.status).toBe(401)
    expect(response.body).toContain('Your session has ended')
    expect(await readAudit()).toEqual([])
    // After signing in, the operator is back at the form with its fields still filled in.
    const [, next = ''] = /name="next" value="([^"]+)"/.exec(response.body) ?? []
    const form = await get(next.replaceAll('&amp;', '&'), await signIn())
    expect([form.status, next]).toEqual([200, expect.stringContaining(changePath)])
    expect(form.body).toMatch(/<textarea[^>]*>a test<\/textarea>/)
  })

  it('rejects a refresh without a session', async () => {
    expect((await get('/console', undefined, { 'x-console-refresh': '1' })).status).toBe(401)
  })

  it("escapes text from the page's address", async () => {
    const { body } = await get('/console?text=%3Cimg%20src%3Dx%3E', await signIn())
    expect(body).not.toContain('<img')
    expect(body).toContain('&lt;img src=x&gt;')
  })

  it('is not served on the port for clients', async () => {
    for (const path of ['/console', '/console/sign-in', '/console/console.js'])
      expect((await gateway.request('GET', path)).status).toBe(404)
  })
})
