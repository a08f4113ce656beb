import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Variables } from '#gateway/settings/read-environment.ts'
import { followSecretFiles, readSecretFiles } from '#gateway/settings/secret-files.ts'
import { readSandboxSettings, readSettings, secretSettings } from '#gateway/settings/settings.ts'
import { formatOperator } from '#migration/cli/operator-verb.ts'
import { deliverySecrets, signDelivery } from '#test/support/deliveries.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'
import { completeSettings } from './complete-settings.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crossfade-secrets-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const write = async (name: string, contents: string) => {
  const path = join(folder, name)
  await writeFile(path, contents)
  return path
}

const { GATEWAY_SECRET: _, DATABASE_URL: __, ...incomplete } = completeSettings
const read = async (environment: Variables) => readSettings(await readSecretFiles(environment))

describe('a secret in a file', () => {
  it('is read without its final newline', async () => {
    const settings = await read({
      ...incomplete,
      GATEWAY_SECRET_FILE: await write('gateway', ' secret of the gateway \n\n'),
      DATABASE_URL_FILE: await write('database', 'postgres://u:p@db.test/app\r\n'),
    })
    expect(settings.GATEWAY_SECRET).toBe(' secret of the gateway \n')
    expect(settings.DATABASE_URL).toBe('postgres://u:p@db.test/app')
  })

  it('can be used for every secret setting', async () => {
    const environment = Object.fromEntries(
      secretSettings.map((name) => [`${name}_FILE`, join(folder, 'no such file')]),
    )
    const { message } = await read({ ...environment, ...incomplete }).catch((error) => error)
    for (const name of ['GATEWAY_SECRET', 'OPERATORS', 'REDIS_URL', 'BILLING_WEBHOOK_SECRET'])
      expect(message).toContain(`  ${name}_FILE must name a readable file (ENOENT)`)
    expect(secretSettings).not.toContain('DATABASE_CA')
    expect(message).not.toContain('is missing')
  })

  it('is reported together with all other errors if it is invalid, without its path or value', async () => {
    const reading = read({
      ...incomplete,
      GATEWAY_SECRET: 'the-secret-of-the-gateway',
      GATEWAY_SECRET_FILE: 'the-path-of-the-file',
      DATABASE_URL_FILE: await write('empty', '\n'),
      INTERNAL_TOKEN_FILE: await write('short', 'too short'),
      LOG_LEVEL: 'loud',
    })
    const { message } = await reading.catch((error) => error)
    expect(message.split('\n').slice(1)).toEqual([
      '  INTERNAL_TOKEN must have at least 16 characters (its 9 characters are not shown)',
      '  LOG_LEVEL must be one of fatal, error, warn, info, debug, silent (it is "loud")',
      '  DATABASE_URL_FILE must name a file that is not empty',
      '  GATEWAY_SECRET and GATEWAY_SECRET_FILE are both set: set only one of them',
    ])
    expect(message).not.toMatch(/the-path|the-secret|too short/)
  })

  it("is passed by value to the sandbox's child processes", async () => {
    const path = await write('token', 'sixteen-characters-of-a-token\n')
    expect(await readSecretFiles({ INTERNAL_TOKEN_FILE: path })).toMatchObject({
      INTERNAL_TOKEN: 'sixteen-characters-of-a-token',
      INTERNAL_TOKEN_FILE: '',
    })
  })
})

describe('a change to a secret file', () => {
  const gateway = startTestGateway({ environment: { OPERATORS: testOperators, ...deliverySecrets } })

  const follow = async (name: string) => {
    const link = join(folder, `${name}-mounted`)
    let version = 0
    // Replaces the file the way Kubernetes replaces a mounted secret.
    const replace = async (contents: string) => {
      version += 1
      const directory = join(folder, `${name}-${version}`)
      await mkdir(directory)
      await writeFile(join(directory, 'secret'), contents)
      await symlink(directory, `${link}-next`)
      await rename(`${link}-next`, link)
    }
    const given: Variables = gateway.environment
    await replace(given[name] ?? '')
    const stop = followSecretFiles({
      environment: { [`${name}_FILE`]: join(link, 'secret') },
      given,
      settings: gateway.settings,
      read: readSandboxSettings,
      log: gateway.log,
      intervalMs: 10,
    })
    return { replace, [Symbol.dispose]: stop }
  }

  const linesOf = (setting: string) =>
    gateway.log.lines.filter(({ fields }) => fields.setting === setting).map(({ message }) => message)

  it('adds one operator and removes another without a restart', async () => {
    using file = await follow('OPERATORS')
    const list = async (token: string) => (await gateway.requestAdmin('GET', '/api/routes', { token })).status
    const token = 'token-of-carol-which-is-long-enough'
    expect([await list(operatorTokens.alice), await list(token)]).toEqual([200, 401])
    await file.replace(`${formatOperator('carol', 'read', token)}\n`)
    await vi.waitFor(async () => expect(await list(token)).toBe(200))
    expect(await list(operatorTokens.alice)).toBe(401)
    expect(linesOf('OPERATORS')).toEqual(['secret file reread'])
    expect(JSON.stringify(gateway.log.lines)).not.toContain(formatOperator('carol', 'read', token))
  })

  it('lets a sender use the old or the new secret as long as the file contains both', async () => {
    using file = await follow('LINKS_WEBHOOK_SECRET')
    const deliver = async () => {
      const body = JSON.stringify({ id: crypto.randomUUID(), event: 'link.created', createdAt: '', data: {} })
      const headers = { 'content-type': 'application/json', ...signDelivery('webhooks.links', body) }
      return (await gateway.request('POST', '/v1/webhooks/links', { body, headers })).status
    }
    const accepted = await deliver()
    expect(accepted).not.toBe(401)
    await file.replace(`a-new-secret-of-the-sender\n${deliverySecrets.LINKS_WEBHOOK_SECRET}\n`)
    await vi.waitFor(() => expect(linesOf('LINKS_WEBHOOK_SECRET')).toHaveLength(1))
    expect(await deliver()).toBe(accepted)
    await file.replace('a-new-secret-of-the-sender\n')
    await vi.waitFor(async () => expect(await deliver()).toBe(401))
  })

  it('is ignored while the file is invalid or empty, and logged with the cause', async () => {
    using file = await follow('INTERNAL_TOKEN')
    const before = gateway.settings.INTERNAL_TOKEN
    await file.replace('short')
    await vi.waitFor(() => expect(linesOf('INTERNAL_TOKEN')).toEqual(['secret file rejected']))
    await file.replace('')
    await vi.waitFor(() => expect(linesOf('INTERNAL_TOKEN')).toHaveLength(2))
    expect(gateway.settings.INTERNAL_TOKEN).toBe(before)
    const errors = gateway.log.lines.filter(({ fields }) => fields.setting === 'INTERNAL_TOKEN')
    expect(errors.map(({ fields }) => fields.error)).toEqual([
      expect.stringContaining('INTERNAL_TOKEN must have at least 16 characters'),
      'INTERNAL_TOKEN_FILE must name a file that is not empty',
    ])
  })

  it('is logged but not applied if the setting requires a restart', async () => {
    using file = await follow('GATEWAY_SECRET')
    const before = gateway.settings.GATEWAY_SECRET
    await file.replace('another-secret-of-the-gateway')
    await vi.waitFor(() => expect(linesOf('GATEWAY_SECRET')).toEqual(['secret file changed, restart needed']))
    expect(gateway.settings.GATEWAY_SECRET).toBe(before)
  })
})
