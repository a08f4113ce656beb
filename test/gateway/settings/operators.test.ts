import { describe, expect, it } from 'vitest'
import { operators } from '#gateway/settings/operators.ts'

const hashOf = (digit: string) => digit.repeat(64)

const errorsOf = (text: string) => {
  const parsed = operators.safeParse(text)
  return parsed.success ? [] : parsed.error.issues.map(({ message }) => message)
}

describe('OPERATORS', () => {
  it('lists names, roles and token hashes', () => {
    expect(operators.parse(`alice:write:${hashOf('A')}, ci:contract:${hashOf('b')},`)).toEqual([
      { name: 'alice', role: 'write', tokenHash: hashOf('a') },
      { name: 'ci', role: 'contract', tokenHash: hashOf('b') },
    ])
  })

  it('reports every error without repeating a token', () => {
    const token = 'a-token-instead-of-its-hash'
    expect(
      errorsOf(`alice:write:${token},bob:admin:${hashOf('b')},auto:read:${hashOf('c')},${token}`),
    ).toEqual([
      "must give the SHA-256 of alice's token as 64 hex digits",
      'must give bob one of the roles read, write, contract',
      'must not name an operator auto',
      'must be a comma-separated list of name:role:sha256',
    ])
  })

  it('rejects two operators with the same name or the same token', () => {
    expect(errorsOf(`alice:write:${hashOf('a')},alice:read:${hashOf('b')}`)).toEqual([
      'must not name alice twice',
    ])
    expect(errorsOf(`alice:write:${hashOf('a')},bob:read:${hashOf('a')}`)).toEqual([
      'must not give several operators the same token',
    ])
  })
})
