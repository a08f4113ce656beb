import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { requireValidSettings, resolveSandboxSettings } from '#dev/start/sandbox-settings.ts'
import { describeValue } from '#gateway/settings/describe-value.ts'
import type { Variables } from '#gateway/settings/read-environment.ts'
import { readPlansFile } from '#gateway/settings/read-files.ts'
import { readSandboxSettings, settingTypes } from '#gateway/settings/settings.ts'

const types = Object.entries(settingTypes)
const isSecret = (name: string) =>
  /SECRET|TOKEN(?!S)|_HEADERS$|_KEY(_ID)?$|_(CA|CERT)$|^(SHADOW_)?DATABASE_(DIRECT_)?URL$|^(REDIS_URL|NOTIFY_URL|OPERATORS)$/.test(
    name,
  )
const isUrl = (name: string) =>
  !isSecret(name) && /_URL$|_BASE$|_ENDPOINT$|ORIGINS?$|^OIDC_ISSUER$/.test(name)
const findError = (name: string, environment: Variables) => {
  try {
    readSandboxSettings(environment)
  } catch (error) {
    return String(error)
      .split('\n')
      .find((line) => line.startsWith(`  ${name} `))
  }
}

const readError = (name: string, value: string) => findError(name, { [name]: value })

describe('the error for an invalid setting', () => {
  it.each(types.filter(([name]) => isSecret(name)))('never contains the value of %s', (name, type) => {
    expect(readError(name, 'se-cr-et') ?? '').not.toContain('se-cr-et')
    expect(describeValue(type, 'se-cr-et')).toBe('its 8 characters are not shown')
    expect(describeValue(type, 'x')).toBe('its character is not shown')
  })

  it.each(types.filter(([name]) => isUrl(name)))(
    'contains only the origin of the URL in %s',
    (name, type) => {
      expect(readError(name, 'key-in-place-of-url') ?? '').not.toContain('key-in-place-of-url')
      expect(describeValue(type, 'key-in-place-of-url')).toBe('its 19 characters are not shown')
      expect(describeValue(type, 'https:key-in-place-of-url')).toBe('its 25 characters are not shown')
      expect(describeValue(type, 'https://u:p@host.test:1/key?key=1')).toBe(
        'its origin is "https://host.test:1"',
      )
    },
  )

  it.each(types.filter(([name]) => !isSecret(name) && !isUrl(name)))(
    'contains the value of %s',
    (name, type) => {
      // Some settings accept any text.
      expect(readError(name, '!invalid') ?? 'it is "!invalid"').toContain('it is "!invalid"')
      expect(describeValue(type, '!invalid')).toBe('it is "!invalid"')
    },
  )

  it.each(types)('contains no credentials from a URL in %s', (name, type) => {
    for (const url of ['ftp://user:pass-word@host.test', 'ftp://host.test/?key=pass-word'])
      expect(`${readError(name, url)} ${describeValue(type, url)}`).not.toContain('pass-word')
  })

  it('names the invalid item of a list', () => {
    const items = Array.from({ length: 50 }, (_, index) => `10.0.0.${index}`)
    expect(readError('TRUSTED_PROXIES', [...items, '10.0.0.0/99'].join())).toContain('(it is "10.0.0.0/99")')
    const origins = 'https://a.test, https://user:pass@b.test/path'
    expect(readError('CORS_ORIGINS', origins)).toContain('(its origin is "https://b.test")')
  })

  it('contains only part of a long value, and no control characters', () => {
    const error = readError('LOG_LEVEL', `a\n${'b'.repeat(2000)}`) ?? ''
    expect(error).toContain('(it is "a\\nbbb')
    expect(error).toContain('the first 100 of 2002 characters')
    expect(error.length).toBeLessThan(300)
  })

  it.each([
    ['neither JSON nor a path: hunter2', 'must be JSON'],
    ['{"password":"hunter2"}', 'must be a JSON array of plans'],
    ['[{"id":"free","name":["hunter2"]}]', 'is invalid at 0.name'],
  ])(
    'contains the path but not the contents of the file that BILLING_PLANS names: %s',
    async (text, message) => {
      await using directory = await mkdtempDisposable(join(tmpdir(), 'plans-'))
      const path = join(directory.path, 'plans.json')
      await writeFile(path, text)
      const withContents = await readPlansFile({ BILLING_PLANS: path })
      const error = findError('BILLING_PLANS', withContents)
      expect(error).toContain(message)
      expect(error).toContain(`(it is "${path}")`)
      expect(error).not.toContain('hunter2')
    },
  )

  it("contains the path of the sandbox's plans file, but not its contents", async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'plans-'))
    const path = join(directory.path, 'plans.json')
    await writeFile(path, 'hunter2')
    const given = { BILLING_PLANS: path }
    const settings = await resolveSandboxSettings({ stateDir: directory.path, given })
    const checking = requireValidSettings(given, settings)
    await expect(checking).rejects.toThrow(`(it is "${path}")`)
    await expect(checking).rejects.not.toThrow('hunter2')
  })

  it('says how long a secret is if it is too short', () => {
    expect(readError('GATEWAY_SECRET', 'five!')).toBe(
      '  GATEWAY_SECRET must have at least 16 characters (its 5 characters are not shown)',
    )
  })
})
