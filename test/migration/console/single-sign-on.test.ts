import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { operators as parseOperators } from '#gateway/settings/operators.ts'
import { singleSignOnSettings } from '#gateway/settings/single-sign-on.ts'
import { createSessions } from '#migration/console/session/sessions.ts'
import { createSingleSignOn, SignInRefused } from '#migration/console/session/single-sign-on.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { testOperators } from '#test/support/operators.ts'
import { sendRaw } from '#test/support/raw-client.ts'
import { createConsoleClient } from './browse.ts'
import { type IssuerAnswers, startTestIssuer } from './issuer-claims.ts'

const minuteMs = 60_000
const redirectUri = 'https://console.example/console/sign-in/callback'
const person = { email: 'anna@example.com', groups: ['platform'] }

describe('single sign-on', () => {
  let answers: IssuerAnswers = {}
  let issuer: Awaited<ReturnType<typeof startTestIssuer>>
  beforeAll(async () => {
    issuer = await startTestIssuer(() => answers)
  })
  afterAll(() => issuer.close())

  const open = (environment: Record<string, string> = {}) => {
    const settings = z.object(singleSignOnSettings).parse({
      OIDC_ISSUER: issuer.url,
      OIDC_CLIENT_ID: 'console',
      OIDC_CLIENT_SECRET: 'hidden',
      OIDC_ROLES: 'platform:write,teams:all:read',
      ...environment,
    })
    const singleSignOn = createSingleSignOn({
      singleSignOn: settings,
      listOperators: () => parseOperators.parse(testOperators),
    })
    if (!singleSignOn) throw new Error('no issuer')
    return singleSignOn
  }

  const signIn = async (given: IssuerAnswers, environment?: Record<string, string>) => {
    answers = given
    const singleSignOn = open(environment)
    const { pending } = await singleSignOn.begin(redirectUri)
    issuer.expectNonce(pending.nonce)
    const callback = new URL(`${redirectUri}?code=a-code&state=${pending.state}`)
    const { subject, ...operator } = await singleSignOn.complete(callback, redirectUri, pending)
    expect(subject).toBe('person')
    return operator
  }

  it('asks for a code that only this browser can use', async () => {
    const { url, pending } = await open().begin(redirectUri)
    expect(url.origin).toBe(issuer.url)
    const { code_challenge, ...rest } = Object.fromEntries(url.searchParams)
    expect(rest).toEqual({
      client_id: 'console',
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid profile email',
      state: pending.state,
      nonce: pending.nonce,
      code_challenge_method: 'S256',
    })
    expect(code_challenge).not.toBe(pending.verifier)
    await signIn({ claims: person })
    const { code_verifier, authorization, ...exchange } = issuer.exchanges.at(-1) ?? {}
    expect(exchange).toEqual({ grant_type: 'authorization_code', code: 'a-code', redirect_uri: redirectUri })
    expect(String(code_verifier)).toMatch(/^[\w-]{43}$/)
    expect(authorization).toBe(`Basic ${btoa('console:hidden')}`)
  })

  it.each([
    ['the role of a group', { claims: person }, { name: 'anna@example.com', role: 'write' }],
    [
      'a group whose name contains a colon',
      { claims: { ...person, groups: ['teams:all'] } },
      { name: 'anna@example.com', role: 'read' },
    ],
    [
      'the highest of two roles',
      { claims: { ...person, groups: ['teams:all', 'platform'] } },
      { name: 'anna@example.com', role: 'write' },
    ],
    [
      'a single group that is given as a string',
      { claims: { ...person, groups: 'platform' } },
      { name: 'anna@example.com', role: 'write' },
    ],
    [
      'the groups from the user info endpoint',
      { claims: { email: 'anna@example.com' }, userInfo: { groups: ['platform'] } },
      { name: 'anna@example.com', role: 'write' },
    ],
    [
      'the user name if the address is not verified',
      { claims: { ...person, email_verified: false, preferred_username: 'anna' } },
      { name: 'anna', role: 'write' },
    ],
    [
      "the subject if the user name could be a colleague's address",
      {
        claims: {
          ...person,
          email: 'bob@example.com',
          email_verified: 'false',
          preferred_username: 'bob@example.com',
        },
      },
      { name: 'person', role: 'write' },
    ],
    [
      'the address from the user info endpoint',
      { claims: { groups: ['platform'] }, userInfo: { email: 'anna@example.com' } },
      { name: 'anna@example.com', role: 'write' },
    ],
    [
      'the subject if nothing else can name the person',
      { claims: { ...person, email: 'two words@example.com' } },
      { name: 'person', role: 'write' },
    ],
  ] satisfies [string, IssuerAnswers, object][])('uses %s', async (_, given, operator) => {
    expect(await signIn(given)).toEqual(operator)
  })

  it('reads the groups from a different claim if one is configured', async () => {
    const claims = { email: 'anna@example.com', roles: ['platform'], groups: ['teams:all'] }
    expect(await signIn({ claims }, { OIDC_GROUPS_CLAIM: 'roles' })).toMatchObject({ role: 'write' })
  })

  it.each([
    ['a person from a different group', 403, { claims: { ...person, groups: ['Platform', 'platform2'] } }],
    ['a person without groups', 403, { claims: { email: 'anna@example.com' } }],
    [
      'a person with the name of an operator who has a token',
      403,
      { claims: { ...person, email: undefined, preferred_username: 'Alice' } },
    ],
    [
      'a person with the name that automatic changes have',
      403,
      { claims: { ...person, email: undefined, preferred_username: 'AUTO' } },
    ],
    ['a token from a different issuer', 502, { claims: person, issuer: 'https://attacker.example' }],
    ['a token for a different client', 502, { claims: person, audience: 'another' }],
    ['a token from a different sign-in', 502, { claims: person, nonce: 'another' }],
    ['a token with a different signature', 502, { claims: person, hasOtherKey: true }],
    ['an expired token', 502, { claims: person, isExpired: true }],
    ['an error from the issuer', 502, { tokenStatus: 401 }],
    ['user info about a different person', 502, { userInfo: { sub: 'another', groups: ['platform'] } }],
  ] satisfies [string, number, IssuerAnswers][])('rejects %s', async (_, status, given) => {
    const refused = await signIn(given).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(SignInRefused)
    expect(refused).toMatchObject({ status })
  })

  it('rejects a callback that belongs to another sign-in', async () => {
    answers = { claims: person }
    const singleSignOn = open()
    const { pending } = await singleSignOn.begin(redirectUri)
    issuer.expectNonce(pending.nonce)
    const before = issuer.exchanges.length
    const callback = new URL(`${redirectUri}?code=a-code&state=another`)
    await expect(singleSignOn.complete(callback, redirectUri, pending)).rejects.toMatchObject({ status: 502 })
    expect(issuer.exchanges).toHaveLength(before)
  })

  it('says on each attempt that the issuer did not respond', async () => {
    const singleSignOn = open({ OIDC_ISSUER: 'http://127.0.0.1:9' })
    for (let attempt = 0; attempt < 2; attempt += 1)
      await expect(singleSignOn.begin(redirectUri)).rejects.toMatchObject({
        status: 502,
        message: 'The identity provider did not respond. Try again.',
      })
  })
})

describe('signing in to the console with an issuer', () => {
  const gateway = startTestGateway({ singleSignOn: true, environment: { OPERATORS: testOperators } })
  const { get, post } = createConsoleClient(gateway)
  const cookieOf = (headers: Headers, name: RegExp) =>
    headers
      .getSetCookie()
      .map((cookie) => cookie.split(';', 1)[0] ?? '')
      .find((cookie) => name.test(cookie)) ?? ''

  /** Presses a person's button on the issuer's page. Returns the path that the issuer then redirects to. */
  const confirm = async ({ headers }: { readonly headers: Headers }, email: string) => {
    const confirmed = await fetch(headers.get('location') ?? '', {
      method: 'POST',
      body: new URLSearchParams({ email }),
      redirect: 'manual',
    })
    const { pathname, search } = new URL(confirmed.headers.get('location') ?? '')
    return pathname + search
  }

  /** Goes to the issuer as a browser would, and presses a person's button there. */
  const reachCallback = async (email: string, next = '/console/audit') => {
    const begun = await get(`/console/sign-in/issuer?${new URLSearchParams({ next })}`)
    expect(begun.status).toBe(303)
    const pending = cookieOf(begun.headers, /^crossfade_console_/)
    return { pending, callback: await confirm(begun, email), begun }
  }
  const signIn = async (email: string) => {
    const { pending, callback } = await reachCallback(email)
    const response = await get(callback, pending)
    return { response, session: cookieOf(response.headers, /^crossfade_console=./) }
  }

  it("returns to the requested page with the group's role", async () => {
    const { response, session } = await signIn('olivia@crossfade.example')
    expect([response.status, response.headers.get('refresh')]).toEqual([200, '0; url=/console/audit'])
    const page = await get('/console', session)
    expect(page.status).toBe(200)
    expect(page.body).toContain('olivia@crossfade.example, write')
    expect((await get('/console', (await signIn('ravi@crossfade.example')).session)).body).toContain(
      'ravi@crossfade.example, read',
    )
  })

  it('refuses a person whose groups have no role, and says so', async () => {
    const { response, session } = await signIn('sam@crossfade.example')
    expect([response.status, session]).toEqual([403, ''])
    expect(response.body).toContain('sam@crossfade.example is not in a group that may use the console.')
  })

  it('accepts a callback once, and only in the browser that started the sign-in', async () => {
    const { pending, callback, begun } = await reachCallback('olivia@crossfade.example')
    expect(begun.headers.getSetCookie().map((cookie) => cookie.split('; ').slice(1).sort())).toContainEqual([
      'HttpOnly',
      'Max-Age=600',
      'Path=/console/sign-in/callback',
      'SameSite=Lax',
    ])
    expect((await get(callback)).status).toBe(400)
    expect((await get(callback, pending)).status).toBe(200)
    expect((await get(callback, pending)).status).toBe(502)
  })

  it.each(['https://attacker.example', '//attacker.example', '/console/sign-out'])(
    'never redirects to %s',
    async (next) => {
      const { pending, callback } = await reachCallback('olivia@crossfade.example', next)
      expect((await get(callback, pending)).headers.get('refresh')).toBe('0; url=/console')
    },
  )

  it('offers both ways to sign in', async () => {
    const { body } = await get('/console/sign-in?next=/console/audit')
    expect(body).toContain('href="/console/sign-in/issuer?next=%2Fconsole%2Faudit"')
    expect(body).toContain('Your operator token')
  })

  it('shows the token field after a wrong token', async () => {
    expect((await get('/console/sign-in')).body).toContain('<details><summary>Use an operator token')
    const { status, body } = await post('/console/sign-in', { token: 'wrong' })
    expect(status).toBe(401)
    expect(body).toContain('<details open><summary>Use an operator token')
  })

  describe('a session', () => {
    const key = createSingleSignOn({
      singleSignOn: z.object(singleSignOnSettings).parse({}),
      listOperators: () => [],
    })
    const issueAt = (now: number, singleSignOnKey: string | null) =>
      createSessions(
        { secret: gateway.settings.GATEWAY_SECRET, listOperators: () => [], singleSignOnKey },
        () => now,
      ).issue({ name: 'olivia@crossfade.example', role: 'write' })
    const keyOfGateway = () =>
      createSingleSignOn({ singleSignOn: gateway.settings, listOperators: () => [] })?.key ?? null

    it('ends after fifteen minutes, and the browser then returns to the issuer automatically', async () => {
      const fresh = issueAt(Date.now() - 14 * minuteMs, keyOfGateway())
      expect((await get('/console', `crossfade_console=${fresh}`)).status).toBe(200)
      const ended = `crossfade_console=${issueAt(Date.now() - 15 * minuteMs, keyOfGateway())}`
      const response = await get('/console/audit', ended)
      expect([response.status, response.headers.get('refresh')]).toEqual([
        200,
        '0; url=/console/sign-in/issuer?next=%2Fconsole%2Faudit',
      ])
      // The cookie is deleted, so that the next page offers to sign in with a token if the issuer does not respond.
      const begun = await get('/console/sign-in/issuer', ended)
      expect(begun.headers.getSetCookie().join()).toContain('crossfade_console=; Max-Age=0')
      expect((await get('/console/audit', ended, { 'x-console-refresh': '1' })).status).toBe(401)
    })

    it("ends when the issuer's settings change", async () => {
      expect(key).toBeNull()
      const other = `crossfade_console=${issueAt(Date.now(), '["another issuer"]')}`
      expect((await get('/console', other)).headers.get('location')).toBe('/console/sign-in?next=%2Fconsole')
    })
  })

  it("logs the operator's name, but neither the code nor the verifier", async () => {
    const { pending, callback } = await reachCallback('olivia@crossfade.example')
    await get(callback, pending)
    const log = JSON.stringify(gateway.log.lines)
    expect(log).toContain('olivia@crossfade.example')
    const code = new URLSearchParams(callback.split('?')[1]).get('code') ?? 'none'
    for (const secret of [code, decodeURIComponent(pending).match(/verifier=([\w-]+)/)?.[1] ?? 'none'])
      expect(log).not.toContain(secret)
  })

  it("ends the session it replaces, even though the callback does not receive that session's cookie", async () => {
    const { session } = await signIn('ravi@crossfade.example')
    const begun = await get('/console/sign-in/issuer', session)
    const confirmed = await confirm(begun, 'olivia@crossfade.example')
    await get(confirmed, cookieOf(begun.headers, /^crossfade_console_/))
    expect((await get('/console', session)).headers.get('refresh')).toContain('/console/sign-in/issuer')
  })

  it('waits for a click if another site links to the sign-in', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    const response = await get('/console/sign-in/issuer?next=/console/audit', undefined, headers)
    expect([response.status, response.headers.get('set-cookie')]).toEqual([200, null])
  })

  it('does not remember a page whose address is too long for the cookie', async () => {
    const { pending } = await reachCallback('olivia@crossfade.example', `/console/${'a'.repeat(1000)}`)
    expect(decodeURIComponent(pending)).toContain('next=%2Fconsole&')
  })

  it('limits rejected codes separately from wrong operator tokens', async () => {
    const { post } = createConsoleClient(gateway)
    for (let attempt = 0; attempt < 12; attempt += 1)
      await post('/console/sign-in', { token: `wrong-${attempt}` })
    expect((await signIn('olivia@crossfade.example')).response.status).toBe(200)
    // Earlier tests have already caused some rejections, so it is unknown how many more are allowed.
    let status = 502
    for (let attempt = 0; attempt <= 100 && status === 502; attempt += 1) {
      const begun = await get('/console/sign-in/issuer')
      const pending = cookieOf(begun.headers, /^crossfade_console_/)
      const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? ''
      status = (await get(`/console/sign-in/callback?code=guessed&state=${state}`, pending)).status
    }
    expect(status).toBe(429)
    const { response } = await signIn('olivia@crossfade.example')
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
  })
})

describe('signing in through a proxy', () => {
  const gateway = startTestGateway({
    singleSignOn: true,
    environment: { CONSOLE_URL: 'https://console.example' },
  })
  const { get } = createConsoleClient(gateway)
  const getFrom = (host: string, path: string) =>
    sendRaw(Number(new URL(gateway.adminUrl).port), `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)

  it('starts at the address that the issuer redirects back to, and only over TLS', async () => {
    const elsewhere = await get('/console/sign-in/issuer?next=/console/audit')
    expect(elsewhere.headers.get('location')).toBe(
      'https://console.example/console/sign-in/issuer?next=%2Fconsole%2Faudit',
    )
    const begun = await getFrom('console.example', '/console/sign-in/issuer')
    expect(new URL(begun.header('location') ?? '').searchParams.get('redirect_uri')).toBe(
      'https://console.example/console/sign-in/callback',
    )
    expect(begun.headers.filter(([name]) => name === 'set-cookie').join()).toContain('; Secure')
  })

  it('trusts no other host name', async () => {
    expect((await getFrom('rebound.example', '/console/sign-in')).status).toBe(403)
  })
})
