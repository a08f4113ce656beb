import { describe, expect, it } from 'vitest'
import { describeValue } from '#gateway/settings/describe-value.ts'
import { readSandboxSettings, settingTypes } from '#gateway/settings/settings.ts'

const types = Object.entries(settingTypes)
const isSecret = (name: string) => /SECRET|TOKEN|_KEY$|^DATABASE_(DIRECT_)?URL$|^REDIS_URL$/.test(name)
const readError = (name: string, value: string) => {
  try {
    readSandboxSettings({ [name]: value })
  } catch (error) {
    return String(error)
      .split('\n')
      .find((line) => line.startsWith(`  ${name} `))
  }
}

describe('the error of an invalid setting', () => {
  it.each(types.filter(([name]) => isSecret(name)))('never contains the value of %s', (name, type) => {
    expect(readError(name, 'se-cr-et') ?? '').not.toContain('se-cr-et')
    expect(describeValue(type, 'se-cr-et')).toBe('its 8 characters are not shown')
  })

  it.each(types.filter(([name]) => !isSecret(name)))('contains the value of %s', (name, type) => {
    // Some settings accept any text.
    expect(readError(name, '!invalid') ?? 'it is "!invalid"').toContain('it is "!invalid"')
    expect(describeValue(type, '!invalid')).toBe('it is "!invalid"')
  })

  it.each(types)('contains no credentials of a URL in %s', (name, type) => {
    for (const url of ['ftp://user:pass-word@host.test', 'ftp://host.test/?key=pass-word'])
      expect(`${readError(name, url)} ${describeValue(type, url)}`).not.toContain('pass-word')
  })

  it('names the invalid item of a list', () => {
    const items = Array.from({ length: 50 }, (_, index) => `10.0.0.${index}`)
    expect(readError('TRUSTED_PROXIES', [...items, '10.0.0.0/99'].join())).toContain('(it is "10.0.0.0/99")')
    expect(readError('CORS_ORIGINS', 'https://user:pass@a.test, b.test')).toContain('(it')
    expect(readError('CORS_ORIGINS', 'https://a.test, b.test')).toContain('(it is "b.test")')
  })

  it('contains a long value only in part, and no control characters', () => {
    const error = readError('LOG_LEVEL', `a\n${'b'.repeat(2000)}`) ?? ''
    expect(error).toContain('(it is "a\\nbbb')
    expect(error).toContain('the first 100 of 2002 characters')
    expect(error.length).toBeLessThan(300)
  })

  it('says how long a secret is that is too short', () => {
    expect(readError('GATEWAY_SECRET', 'five!')).toBe(
      '  GATEWAY_SECRET must have at least 16 characters (its 5 characters are not shown)',
    )
  })
})
