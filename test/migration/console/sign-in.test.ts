import { describe, expect, it } from 'vitest'
import { operators as parseOperators } from '#gateway/settings/operators.ts'
import { formatOperator } from '#migration/cli/operator-verb.ts'
import { createSessions } from '#migration/console/session/sessions.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'
import { createConsoleClient } from './browse.ts'

const hourMs = 3_600_000

describe('signing in to the console', () => {
  const gateway = startTestGateway({ environment: { OPERATORS: testOperators } })
  const { get, post, signIn } = createConsoleClient(gateway)
  const issueWith = (secret: string, operators = testOperators, now = Date.now()) =>
    `crossfade_console=${createSessions({ secret, listOperators: () => parseOperators.parse(operators) }, () => now).issue({ name: 'alice', role: 'write' })}`
  const isSignedIn = async (cookie: string) => (await get('/console', cookie)).status === 200

  it('stores an eight-hour session that neither scripts nor other sites can use', async () => {
    const response = await post('/console/sign-in', { token: operatorTokens.alice })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/console'])
    const cookie = response.headers.get('set-cookie') ?? ''
    expect(cookie.split('; ').slice(1).sort()).toEqual([
      'HttpOnly',
      'Max-Age=28800',
      'Path=/console',
      'SameSite=Strict',
    ])
    expect(cookie).not.toContain(operatorTokens.alice)
  })

  it.each([{ 'x-forwarded-proto': 'https' }, { origin: 'https://admin.example' }])(
    'makes the cookie Secure if the browser uses TLS: %j',
    async (headers) => {
      const response = await post('/console/sign-in', { token: operatorTokens.alice }, { headers })
      expect(response.headers.get('set-cookie')).toContain('; Secure')
    },
  )

  it('accepts a session on every instance with the same secret and operators', async () => {
    expect(await isSignedIn(issueWith(gateway.settings.GATEWAY_SECRET))).toBe(true)
  })

  it.each([
    [
      'a session that is eight hours old',
      () => issueWith(gateway.settings.GATEWAY_SECRET, testOperators, Date.now() - 8 * hourMs),
    ],
    ['a session signed with a different secret', () => issueWith('another-secret-of-an-installation')],
    [
      'a session from a different token of the same operator',
      () => issueWith(gateway.settings.GATEWAY_SECRET, formatOperator('alice', 'write', 'the token before')),
    ],
    ['no session', () => ''],
    ['a malformed session', () => 'crossfade_console=%00..alice'],
    ['a session without a signature', () => 'crossfade_console=9999999999.alice'],
  ])('does not accept %s', async (_, createCookie) => {
    const response = await get('/console/audit?scope=*', createCookie())
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      '/console/sign-in?next=%2Fconsole%2Faudit%3Fscope%3D*',
    ])
  })

  it('does not accept a session whose expiry or name was changed', async () => {
    const cookie = await signIn('rob')
    const [, expiry = ''] = /\.(\d+)\./.exec(cookie) ?? []
    expect(await isSignedIn(cookie)).toBe(true)
    expect(await isSignedIn(cookie.replace(expiry, String(Number(expiry) + 60)))).toBe(false)
    expect(await isSignedIn(cookie.replace(/\.rob$/, '.alice'))).toBe(false)
  })

  it('does not accept a notice as a session', async () => {
    const sessions = createSessions({
      secret: gateway.settings.GATEWAY_SECRET,
      listOperators: () => parseOperators.parse(testOperators),
    })
    const notice = sessions.signNotice({ name: 'alice', role: 'write' }, '9999999999.alice')
    expect(await isSignedIn(`crossfade_console=${notice}`)).toBe(false)
  })

  it('deletes the cookie at sign-out', async () => {
    const cookie = await signIn()
    const response = await post('/console/sign-out', {}, { cookie })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/console/sign-in'])
    expect(response.headers.get('set-cookie')).toContain('crossfade_console=; Max-Age=0; Path=/console')
  })

  it('rejects an unknown token and a role that cannot read', async () => {
    const unknown = await post('/console/sign-in', { token: 'wrong' })
    expect([unknown.status, unknown.headers.get('set-cookie')]).toEqual([401, null])
    expect(unknown.body).toContain('This is not the token of an operator')
    expect(unknown.body).not.toContain('wrong')
    const contract = await post('/console/sign-in', { token: operatorTokens.ci })
    expect([contract.status, contract.headers.get('set-cookie')]).toEqual([403, null])
  })

  it('returns to the page that the operator asked for', async () => {
    const next = '/console/routes/tracks.*?account=acct_1&link='
    const response = await post('/console/sign-in', { token: operatorTokens.alice, next })
    expect(response.headers.get('location')).toBe(next)
  })

  it.each([
    'https://attacker.example',
    '//attacker.example',
    '/\\attacker.example',
    '/console//attacker.example',
    '/console/../metrics',
    '/console/%2e%2e/metrics',
    '/console@attacker.example',
    '/consoles',
    '/api/routes',
    '/console\r\nset-cookie: a=b',
    '/console/sign-out',
    'javascript:alert(1)',
  ])('never redirects to %s', async (next) => {
    const response = await post('/console/sign-in', { token: operatorTokens.alice, next })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/console'])
  })

  it('escapes the page in the next parameter', async () => {
    const { body } = await get('/console/sign-in?next=%22%3E%3Cscript%3E')
    expect(body).toContain('value="&quot;&gt;&lt;script&gt;"')
  })

  it('writes no token to the log', async () => {
    await post('/console/sign-in', { token: 'a-wrong-token' })
    await signIn()
    const log = JSON.stringify(gateway.log.lines)
    expect(log).toContain('operator signed in')
    expect(log).toContain('console sign-in rejected')
    for (const secret of ['a-wrong-token', operatorTokens.alice]) expect(log).not.toContain(secret)
  })
})
