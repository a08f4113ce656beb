import { validateHeaderValue } from 'node:http'
import { describe, expect, it } from 'vitest'
import { clientResponseHeaders } from '#proxy/headers/header-rules.ts'

type Origins = Parameters<typeof clientResponseHeaders>[3]

const rewrite = (location: string, origins: Partial<Origins> = {}) => {
  const [, rewritten = ''] = clientResponseHeaders(
    ['Location', location],
    200,
    { responseHeaders: [], replacesCors: false, replacedHeaders: null },
    { coreOrigins: ['http://core.example:9000'], publicBaseUrl: 'https://public.example', ...origins },
  )
  return rewritten
}

describe('the Location of a core response', () => {
  it.each([
    ['http://core.example:9000/v1/x?y', 'https://public.example/v1/x?y'],
    ['HTTP://Core.Example:9000', 'https://public.example'],
    ['http://core.example:9000?x', 'https://public.example?x'],
    ['//core.example:9000/v1/x', 'https://public.example/v1/x'],
    ['/v1/x', '/v1/x'],
    ['//elsewhere.example:9000/v1/x', '//elsewhere.example:9000/v1/x'],
    ['http://core.example:90001/v1', 'http://core.example:90001/v1'],
    ['http://core.example/v1', 'http://core.example/v1'],
    ['http://core.example:9000.evil.example/', 'http://core.example:9000.evil.example/'],
    ['http://core.example:9000@evil.example/', 'http://core.example:9000@evil.example/'],
    [
      'https://elsewhere.example/?u=http://core.example:9000/',
      'https://elsewhere.example/?u=http://core.example:9000/',
    ],
  ])('is rewritten if it points to the core, and otherwise kept: %s', (location, expected) => {
    expect(rewrite(location)).toBe(expected)
  })

  it.each([
    ['http://core.example:9000/v1/x?y#z', '/v1/x?y#z'],
    ['//core.example:9000/v1/x', '/v1/x'],
    ['http://core.example:9000', '/'],
    ['http://core.example:9000?x', '/?x'],
    ['http://core.example:9000#x', '/#x'],
    ['http://core.example:9000//evil.example/x', '/.//evil.example/x'],
    ['http://core.example:9000/\\evil.example/x', '/./\\evil.example/x'],
    ['http://core.example:9000/\t/evil.example/x', '/./\t/evil.example/x'],
    ['https://elsewhere.example/v1/x', 'https://elsewhere.example/v1/x'],
  ])(
    'is made relative if it points to the core and there is no public base URL: %j',
    (location, expected) => {
      const rewritten = rewrite(location, { publicBaseUrl: null })
      expect(rewritten).toBe(expected)
      const { origin } = new URL(location, 'http://core.example:9000')
      const resolved = new URL(rewritten, 'http://api.example/v1/deep/path').origin
      expect(resolved).toBe(origin === 'http://core.example:9000' ? 'http://api.example' : origin)
    },
  )

  it.each([
    ['http://core.example:9000/例え\n', 'https://public.example/%E4%BE%8B%E3%81%88%0A'],
    ['/\ud800\x7f', '/%EF%BF%BD%7F'],
    ['/caf\u00e9\t%', '/caf\u00e9\t%'],
  ])('is percent-encoded if it is not a valid header value: %j', (location, expected) => {
    expect(rewrite(location)).toBe(expected)
    expect(() => validateHeaderValue('location', rewrite(location))).not.toThrow()
  })

  it("is rewritten even if it names the core's default port", () => {
    expect(rewrite('http://core.example:80/v1/x', { coreOrigins: ['http://core.example'] })).toBe(
      'https://public.example/v1/x',
    )
  })
})
