import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { startTokenIssuer, type TokenIssuer } from '#dev/sandbox/token-issuer.ts'

const folders: string[] = []
const createStateFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'issuer-'))
  folders.push(folder)
  return folder
}

const startIssuer = async (stateDir: string) => {
  const issuer = await startTokenIssuer({ stateDir })
  onTestFinished(issuer.close)
  return issuer
}

const verify = ({ issuer, audience, jwksUrl }: TokenIssuer, token: string) =>
  jwtVerify(token, createRemoteJWKSet(new URL(jwksUrl)), { issuer, audience })

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})

describe('the sandbox token issuer', () => {
  it('signs tokens that can be verified with its own key set', async () => {
    const issuer = await startIssuer(await createStateFolder())
    const { payload, protectedHeader } = await verify(issuer, await issuer.mintToken('acct_alice'))
    expect(protectedHeader.alg).toBe('ES256')
    expect(payload).toMatchObject({ sub: 'acct_alice', email: 'alice@example.test', email_verified: true })
    expect(payload.exp! - payload.iat!).toBe(12 * 60 * 60)
  })

  it('adds an email claim for demo accounts, and for others only if an address is given', async () => {
    const issuer = await startIssuer(await createStateFolder())
    const withoutEmail = await verify(issuer, await issuer.mintToken('acct_new'))
    expect(withoutEmail.payload).not.toHaveProperty('email')
    const options = { email: 'new@example.test', emailVerified: false }
    const withEmail = await verify(issuer, await issuer.mintToken('acct_new', options))
    expect(withEmail.payload).toMatchObject({ email: 'new@example.test', email_verified: false })
  })

  it.each(['http://127.0.0.1:8787', 'http://localhost:8787', 'http://[::1]:1'])(
    'signs a 15-minute demo token for the page %s, which is on this machine',
    async (origin) => {
      const issuer = await startIssuer(await createStateFolder())
      const response = await fetch(issuer.tokenUrl, { method: 'POST', headers: { origin } })
      expect(response.status).toBe(200)
      expect(response.headers.get('access-control-allow-origin')).toBe(origin)
      expect(response.headers.get('cache-control')).toBe('no-store')
      const { payload } = await verify(issuer, await response.text())
      expect(payload.sub).toBe('acct_alice')
      expect(payload.exp! - payload.iat!).toBe(15 * 60)
    },
  )

  // DNS rebinding: any name can resolve to this machine, so a page loaded under that name can be same-origin with the
  // issuer.
  it.each([
    undefined,
    'null',
    'https://example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com:80',
    'http://example.com#http://localhost',
  ])('returns 403 and signs nothing for a page with the origin %s', async (origin) => {
    const issuer = await startIssuer(await createStateFolder())
    const headers = origin === undefined ? {} : { origin }
    const response = await fetch(issuer.tokenUrl, { method: 'POST', headers })
    expect([response.status, await response.json()]).toEqual([403, { error: 'forbidden' }])
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect((await fetch(issuer.tokenUrl)).status).toBe(404)
  })

  it('signs a token that has already expired if expiresIn is negative', async () => {
    const issuer = await startIssuer(await createStateFolder())
    const token = await issuer.mintToken('acct_alice', { expiresIn: -1 })
    await expect(verify(issuer, token)).rejects.toThrow(errors.JWTExpired)
  })

  it('keeps tokens valid across a restart', async () => {
    const stateDir = await createStateFolder()
    const first = await startTokenIssuer({ stateDir })
    const token = await first.mintToken('acct_bob')
    await first.close()
    expect((await verify(await startIssuer(stateDir), token)).payload.sub).toBe('acct_bob')
  })

  it('stores the private key with mode 0600 and serves only the public key', async () => {
    const stateDir = await createStateFolder()
    const issuer = await startIssuer(stateDir)
    expect((await stat(join(stateDir, 'issuer-key.json'))).mode & 0o777).toBe(0o600)
    const response = await fetch(issuer.jwksUrl)
    expect(response.headers.get('content-type')).toBe('application/json')
    const { keys } = (await response.json()) as { keys: object[] }
    expect(keys).toHaveLength(1)
    expect(Object.keys(keys[0]!).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  })

  it('returns 404 for other paths and 405 for other methods', async () => {
    const issuer = await startIssuer(await createStateFolder())
    expect((await fetch(new URL('/', issuer.jwksUrl))).status).toBe(404)
    const posted = await fetch(issuer.jwksUrl, { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('does not start if the key file is invalid', async () => {
    const stateDir = await createStateFolder()
    await writeFile(join(stateDir, 'issuer-key.json'), '{"kty":"EC"}')
    await expect(startTokenIssuer({ stateDir })).rejects.toThrow(
      'issuer-key.json is not an ES256 private key',
    )
  })
})
