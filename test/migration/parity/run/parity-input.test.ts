import { describe, expect, it } from 'vitest'
import { readParityFlags } from '#dev/contract/comparison-flags.ts'
import { createTokenAccountSource, readAccountTokens } from '#migration/parity/run/accounts.ts'

describe('readParityFlags', () => {
  const both = ['--native', 'http://native.test/', '--core', 'https://core.test']

  it('reduces both URLs to their origins', () => {
    expect(readParityFlags(both)).toMatchObject({
      native: 'http://native.test',
      core: 'https://core.test',
      isConfirmed: false,
      permissions: { billing: false, irreversible: false },
    })
  })

  it.each([
    ['a missing side', ['--native', 'http://native.test'], '--core is required'],
    ['an invalid URL', ['--native', 'not-a-url'], '--native must be an http or https URL'],
    [
      'a path',
      ['--native', 'https://host.test/prefix', '--core', 'https://c.test'],
      '--native must be a URL without a path',
    ],
    ['a query', [...both, '--core', 'https://c.test/?a'], '--core must be a URL without a path'],
    ['another scheme', ['--native', 'ftp://native.test'], '--native must be an http or https URL'],
    ['an unknown flag', [...both, '--speed', '9'], "Unknown option '--speed'"],
  ])('rejects %s', (_, flags, reason) => {
    expect(() => readParityFlags(flags)).toThrow(reason)
  })

  it.each([
    ['--token', ['--token', 'secret'], 'set PARITY_TOKEN_A instead'],
    ['--token with =', ['--token=secret'], 'set PARITY_TOKEN_A instead'],
    ['--other-token', ['--other-token', 'secret'], 'set PARITY_TOKEN_B instead'],
  ])('rejects %s without printing the token', (_, flags, reason) => {
    const read = () => readParityFlags([...both, ...flags])
    expect(read).toThrow(reason)
    expect(read).not.toThrow('secret')
  })
})

describe('readAccountTokens', () => {
  it('returns the tokens in order', () => {
    const environment = { PARITY_TOKEN_A: 'first', PARITY_TOKEN_B: 'second', PARITY_TOKEN_C: '' }
    expect(readAccountTokens(environment)).toEqual(['first', 'second'])
  })

  it('fails with an error that names the missing token if a later one is set', () => {
    expect(() => readAccountTokens({ PARITY_TOKEN_B: 'second' })).toThrow(
      'PARITY_TOKEN_A is missing, but PARITY_TOKEN_B is set',
    )
  })
})

describe('createTokenAccountSource', () => {
  const createToken = (sub: string) => `e30.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.x`

  it('rejects a malformed token without printing it', () => {
    const create = () => createTokenAccountSource(['secret'])
    expect(create).toThrow('PARITY_TOKEN_A is not a JSON Web Token with a `sub` claim')
    expect(create).not.toThrow('secret')
  })

  it('rejects two tokens for the same account', () => {
    expect(() => createTokenAccountSource([createToken('a'), createToken('b'), createToken('a')])).toThrow(
      'PARITY_TOKEN_C belongs to the same account as PARITY_TOKEN_A',
    )
  })
})
