import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readOrCreateSecret } from '#gateway/start/stored-secret.ts'

describe('a secret that the sandbox keeps', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossfade-secrets-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('is the same at every start, and readable by its owner alone', async () => {
    const first = await readOrCreateSecret(folder, 'INTERNAL_TOKEN')
    expect(first.length).toBeGreaterThanOrEqual(16)
    expect(await readOrCreateSecret(folder, 'INTERNAL_TOKEN')).toBe(first)
    expect((await stat(join(folder, 'internal-token'))).mode & 0o777).toBe(0o600)
  })

  it('is made anew where its file is empty', async () => {
    await writeFile(join(folder, 'gateway-secret'), '')
    const secret = await readOrCreateSecret(folder, 'GATEWAY_SECRET')
    expect(secret.length).toBeGreaterThanOrEqual(16)
    expect(await readOrCreateSecret(folder, 'GATEWAY_SECRET')).toBe(secret)
  })

  it('is one for all who start at once, and no draft is left', async () => {
    const fresh = join(folder, 'fresh')
    const secrets = await Promise.all([1, 2, 3, 4].map(() => readOrCreateSecret(fresh, 'GATEWAY_SECRET')))
    expect(new Set(secrets).size).toBe(1)
    expect(await readdir(fresh)).toEqual(['gateway-secret'])
  })

  it('is not made up where its file cannot be read', async () => {
    await mkdir(join(folder, 'billing-webhook-secret'))
    await expect(readOrCreateSecret(folder, 'BILLING_WEBHOOK_SECRET')).rejects.toThrow('EISDIR')
  })
})
