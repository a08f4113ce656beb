import { describe, expect, it } from 'vitest'
import { inspectRequest } from '#gateway/edge/inspect-request.ts'

const inspect = (headers: readonly string[], { method = 'POST', url = '/v1/tracks', version = '1.1' } = {}) =>
  inspectRequest(method, url, version, headers)

const host = ['Host', 'api.example'] as const

describe('inspectRequest', () => {
  it('returns the parsed parts of a valid request', () => {
    expect(inspect([...host, 'Content-Length', '12'])).toEqual({
      target: { path: '/v1/tracks', query: '', target: '/v1/tracks', authority: null, isRewritten: false },
      host: 'api.example',
      bodyLength: 12,
      expectsContinue: false,
      requestsUpgrade: false,
    })
  })

  it.each([
    ['no body', [], 0],
    ['an empty body', ['Content-Length', '0'], 0],
    ['a body of known length', ['Content-Length', '1048577'], 1_048_577],
    ['a chunked body', ['Transfer-Encoding', 'Chunked'], null],
  ])('returns the body length of %s', (_, headers, bodyLength) => {
    expect(inspect([...host, ...headers])).toMatchObject({ bodyLength })
  })

  it.each([
    ['a length and a chunked body', ['Content-Length', '1', 'Transfer-Encoding', 'chunked']],
    ['a chunked body and a length', ['Transfer-Encoding', 'chunked', 'Content-Length', '1']],
    ['two lengths', ['Content-Length', '1', 'content-length', '1']],
    ['a list of lengths', ['Content-Length', '1, 1']],
    ['a signed length', ['Content-Length', '+1']],
    ['a length with a leading zero', ['Content-Length', '01']],
    ['a length in hexadecimal', ['Content-Length', '0x1']],
    ['an empty length', ['Content-Length', '']],
    ['a length above the exact integers', ['Content-Length', '9999999999999999']],
    ['an unsupported transfer coding', ['Transfer-Encoding', 'gzip']],
    ['two transfer codings', ['Transfer-Encoding', 'gzip, chunked']],
    ['two Transfer-Encoding headers', ['Transfer-Encoding', 'chunked', 'Transfer-Encoding', 'chunked']],
    ['an obfuscated transfer coding', ['Transfer-Encoding', 'xchunked']],
    ['an empty transfer coding', ['Transfer-Encoding', '']],
    ['two Host headers', ['host', 'other.example']],
    ['two Authorization headers', ['Authorization', 'a', 'authorization', 'b']],
    ['two Content-Type headers', ['Content-Type', 'a/b', 'Content-Type', 'a/b']],
  ])('rejects %s', (_, headers) => {
    expect(inspect([...host, ...headers])).toBe('bad_request')
  })

  it('rejects a chunked body in an HTTP/1.0 request', () => {
    expect(inspect([...host, 'Transfer-Encoding', 'chunked'], { version: '1.0' })).toBe('bad_request')
  })

  it.each([
    '',
    'a b',
    'a/b',
    'user@api.example',
    'api.example:http',
    'api.example, other',
    '[::1',
    'a\tb',
    'api.example:123456',
  ])('rejects the host %j', (value) => {
    expect(inspect(['Host', value])).toBe('bad_request')
  })

  it.each(['api.example', 'api.example:8080', '127.0.0.1', '[::1]:80', 'core_1', 'api.example:'])(
    'accepts the host %j',
    (value) => {
      expect(inspect(['Host', value])).toMatchObject({ host: value })
    },
  )

  it('requires a Host header in HTTP/1.1 but not in HTTP/1.0', () => {
    expect(inspect([])).toBe('bad_request')
    expect(inspect([], { version: '1.0' })).toMatchObject({ host: '' })
  })

  it("prefers the target's authority to the Host header, which must still be valid", () => {
    expect(inspect(host, { url: 'http://other.example/v1' })).toMatchObject({ host: 'other.example' })
    expect(inspect([], { url: 'http://other.example/v1' })).toBe('bad_request')
    expect(inspect(host, { url: 'http://user:pass@other.example/v1' })).toBe('bad_request')
  })

  it('rejects the methods TRACE and CONNECT', () => {
    expect(inspect(host, { method: 'TRACE' })).toBe('method_not_allowed')
    expect(inspect(host, { method: 'CONNECT', url: 'a:443' })).toBe('method_not_allowed')
  })

  it('accepts only the expectation 100-continue', () => {
    expect(inspect([...host, 'Expect', '100-Continue'])).toMatchObject({ expectsContinue: true })
    expect(inspect([...host, 'Expect', '200-maybe'])).toBe('expectation_failed')
    expect(inspect([...host, 'Expect', '100-continue', 'Expect', 'other'])).toBe('expectation_failed')
    expect(inspect([...host, 'Expect', '100-continue'], { version: '1.0' })).toMatchObject({
      expectsContinue: false,
    })
  })

  it('detects an upgrade request', () => {
    expect(inspect([...host, 'UPGRADE', 'h2c'])).toMatchObject({ requestsUpgrade: true })
    expect(inspect([...host, 'Referer', 'upgrade'])).toMatchObject({ requestsUpgrade: false })
  })

  it('rejects HTTP versions other than 1.0 and 1.1', () => {
    expect(inspect(host, { version: '2.0' })).toBe('version_not_supported')
    expect(inspect(host, { version: '0.9' })).toBe('bad_request')
  })
})
