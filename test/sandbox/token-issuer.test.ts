import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { startTokenIssuer, type TokenIssuer } from '#sandbox/token-issuer.ts'

const folders: string[] = []
const stateFolder = async () => {
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
  it('mints tokens that verify against its own key set', async () => {
    const issuer = await startIssuer(await stateFolder())
    const { payload, protectedHeader } = await verify(issuer, await issuer.mintToken('acct_alice'))
    expect(protectedHeader.alg).toBe('ES256')
    expect(payload).toMatchObject({ sub: 'acct_alice', email: 'alice@example.test', email_verified: true })
    expect(payload.exp! - payload.iat!).toBe(12 * 60 * 60)
  })

  it('knows no e-mail of an account that is no demo account, unless told', async () => {
    const issuer = await startIssuer(await stateFolder())
    const silent = await verify(issuer, await issuer.mintToken('acct_new'))
    expect(silent.payload).not.toHaveProperty('email')
    const options = { email: 'new@example.test', emailVerified: false }
    const told = await verify(issuer, await issuer.mintToken('acct_new', options))
    expect(told.payload).toMatchObject({ email: 'new@example.test', email_verified: false })
  })

  it('mints an expired token when asked to', async () => {
    const issuer = await startIssuer(await stateFolder())
    const token = await issuer.mintToken('acct_alice', { expiresIn: -1 })
    await expect(verify(issuer, token)).rejects.toThrow(errors.JWTExpired)
  })

  it('keeps its tokens valid over a restart', async () => {
    const stateDir = await stateFolder()
    const first = await startTokenIssuer({ stateDir })
    const token = await first.mintToken('acct_bob')
    await first.close()
    expect((await verify(await startIssuer(stateDir), token)).payload.sub).toBe('acct_bob')
  })

  it('ends with one key when two start in one folder at once', async () => {
    const stateDir = await stateFolder()
    const [one, other] = await Promise.all([startIssuer(stateDir), startIssuer(stateDir)])
    expect((await verify(other, await one.mintToken('acct_carol'))).payload.sub).toBe('acct_carol')
  })

  it('keeps the private key from everybody but its owner and out of the key set', async () => {
    const stateDir = await stateFolder()
    const issuer = await startIssuer(stateDir)
    expect((await stat(join(stateDir, 'issuer-key.json'))).mode & 0o777).toBe(0o600)
    const response = await fetch(issuer.jwksUrl)
    expect(response.headers.get('content-type')).toBe('application/json')
    const { keys } = (await response.json()) as { keys: object[] }
    expect(keys).toHaveLength(1)
    expect(Object.keys(keys[0]!).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  })

  it('serves nothing but the key set, and that to readers alone', async () => {
    const issuer = await startIssuer(await stateFolder())
    expect((await fetch(new URL('/', issuer.jwksUrl))).status).toBe(404)
    const written = await fetch(issuer.jwksUrl, { method: 'POST' })
    expect([written.status, written.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('refuses to start on a broken key file rather than replace it', async () => {
    const stateDir = await stateFolder()
    await writeFile(join(stateDir, 'issuer-key.json'), '{"kty":"EC"}')
    await expect(startTokenIssuer({ stateDir })).rejects.toThrow('issuer-key.json holds no ES256 private key')
  })
})
