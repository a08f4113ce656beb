import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTokenIssuer } from '#dev/sandbox/token-issuer.ts'
import { forwardableRows } from './forwardable-rows.ts'
import { type RunningCore, runCore } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

const actorRows = forwardableRows.flatMap(([method, path, auth]) =>
  auth.startsWith('actor') && auth !== 'actor?' ? [[method, path] as const] : [],
)

const otherPaths = [
  ['PUT', '/v1/tracks'],
  ['GET', '/v1/tracks/'],
  ['GET', '/v1/tracks/x/nothing'],
  ['POST', '/v1/tracks/x/rights'],
  ['GET', '/v1/nothing'],
  ['GET', '/v1/public'],
  ['GET', '/v1/pack-links'],
  ['POST', '/v1/webhooks/billing'],
  ['GET', '/v1/packs/%zz'],
] as const

describe("the core's authentication", () => {
  it.each([...actorRows, ...otherPaths])(
    'returns 401 before any other check if %s %s is sent without a token',
    async (method, path) => {
      const { status, body } = await core.send(path, { method, ...(method !== 'GET' && { body: '{' }) })
      expect([status, body]).toEqual([401, { error: 'unauthorized' }])
    },
  )

  it('returns 404 for unknown public paths, even without a valid token', async () => {
    for (const path of ['/', '/v1', '/v1/public/nothing', '/v1/pack-links/x/y/z'])
      for (const authorization of [undefined, 'Bearer x']) {
        const response = await core.send(path, { headers: authorization ? { authorization } : {} })
        expect([path, response.status, response.body]).toEqual([path, 404, { error: 'route_not_found' }])
      }
  })

  it('returns 401 for every token except a valid one from the configured issuer', async () => {
    const stateDir = await mkdtemp(join(tmpdir(), 'foreign-issuer-'))
    const foreign = await startTokenIssuer({ stateDir })
    const alice = await core.signIn()
    const [head, , signature] = alice.token.split('.')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    const claims = Buffer.from(JSON.stringify({ sub: 'x', exp: 4e9 })).toString('base64url')
    for (const authorization of [
      `Bearer ${await core.issuer.mintToken('acct_alice', { expiresIn: -1 })}`,
      `Bearer ${await core.issuer.mintToken('')}`,
      `Bearer ${await core.issuer.mintToken('x'.repeat(129))}`,
      `Bearer ${await core.issuer.mintToken('a\u0000b')}`,
      `Bearer ${await foreign.mintToken('acct_alice')}`,
      `Bearer ${head}.${claims}.${signature}`,
      `Bearer ${none}.${claims}.`,
      `Basic ${alice.token}`,
      'Bearer',
      'Bearer x',
    ]) {
      const { status, body } = await core.send('/v1/tracks', { headers: { authorization } })
      expect([authorization, status, body]).toEqual([authorization, 401, { error: 'unauthorized' }])
    }
    await foreign.close()
    await rm(stateDir, { recursive: true })
  })

  it('accepts the authentication scheme in lower case', async () => {
    const { token } = await core.signIn()
    const { status } = await core.send('/v1/tracks', { headers: { authorization: `bearer ${token}` } })
    expect(status).toBe(200)
  })
})
