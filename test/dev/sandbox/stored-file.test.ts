import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readOrCreateSecret } from '#dev/start/sandbox-settings.ts'

describe('readOrCreateSecret', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossfade-secrets-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('returns the same secret at each start, and stores it in a file with mode 0600', async () => {
    const first = await readOrCreateSecret(folder, 'INTERNAL_TOKEN')
    expect(first.length).toBeGreaterThanOrEqual(16)
    expect(await readOrCreateSecret(folder, 'INTERNAL_TOKEN')).toBe(first)
    expect((await stat(join(folder, 'internal-token'))).mode & 0o777).toBe(0o600)
  })

  it('creates a new secret when the file is empty', async () => {
    await writeFile(join(folder, 'gateway-secret'), '')
    const secret = await readOrCreateSecret(folder, 'GATEWAY_SECRET')
    expect(secret.length).toBeGreaterThanOrEqual(16)
    expect(await readOrCreateSecret(folder, 'GATEWAY_SECRET')).toBe(secret)
  })

  it('leaves no temporary file', async () => {
    const fresh = join(folder, 'fresh')
    await readOrCreateSecret(fresh, 'GATEWAY_SECRET')
    expect(await readdir(fresh)).toEqual(['gateway-secret'])
  })

  it('throws when the file cannot be read', async () => {
    await mkdir(join(folder, 'billing-webhook-secret'))
    await expect(readOrCreateSecret(folder, 'BILLING_WEBHOOK_SECRET')).rejects.toThrow('EISDIR')
  })
})
