import { describe, expect, it } from 'vitest'
import { inspectRequest } from '#gateway/edge/inspect-request.ts'

const inspect = (headers: readonly string[], { method = 'POST', url = '/v1/tracks', version = '1.1' } = {}) =>
  inspectRequest(method, url, version, headers)

const host = ['Host', 'api.example'] as const

describe('inspecting a request', () => {
  it('lets a sound one through with what it found', () => {
    expect(inspect([...host, 'Content-Length', '12'])).toEqual({
      target: { path: '/v1/tracks', query: '', target: '/v1/tracks', authority: null },
      host: 'api.example',
      bodyLength: 12,
      expectsContinue: false,
      asksToUpgrade: false,
    })
  })

  it.each([
    ['none', [], 0],
    ['an empty one', ['Content-Length', '0'], 0],
    ['one of known length', ['Content-Length', '1048577'], 1_048_577],
    ['one in chunks', ['Transfer-Encoding', 'Chunked'], null],
  ])('tells the length of a body: %s', (_, headers, bodyLength) => {
    expect(inspect([...host, ...headers])).toMatchObject({ bodyLength })
  })

  it.each([
    ['a length and chunks', ['Content-Length', '1', 'Transfer-Encoding', 'chunked']],
    ['chunks and a length', ['Transfer-Encoding', 'chunked', 'Content-Length', '1']],
    ['two lengths', ['Content-Length', '1', 'content-length', '1']],
    ['a list of lengths', ['Content-Length', '1, 1']],
    ['a signed length', ['Content-Length', '+1']],
    ['a length with a leading zero', ['Content-Length', '01']],
    ['a length in hexadecimal', ['Content-Length', '0x1']],
    ['an empty length', ['Content-Length', '']],
    ['a length beyond exact numbers', ['Content-Length', '9999999999999999']],
    ['another coding', ['Transfer-Encoding', 'gzip']],
    ['two codings', ['Transfer-Encoding', 'gzip, chunked']],
    ['chunks twice', ['Transfer-Encoding', 'chunked', 'Transfer-Encoding', 'chunked']],
    ['an obfuscated coding', ['Transfer-Encoding', 'xchunked']],
    ['an empty coding', ['Transfer-Encoding', '']],
    ['two hosts', ['host', 'other.example']],
    ['two authorizations', ['Authorization', 'a', 'authorization', 'b']],
    ['two content types', ['Content-Type', 'a/b', 'Content-Type', 'a/b']],
  ])('refuses %s', (_, headers) => {
    expect(inspect([...host, ...headers])).toBe('bad_request')
  })

  it('refuses chunks of HTTP/1.0', () => {
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
  ])('refuses the host %j', (value) => {
    expect(inspect(['Host', value])).toBe('bad_request')
  })

  it.each(['api.example', 'api.example:8080', '127.0.0.1', '[::1]:80', 'core_1', 'api.example:'])(
    'takes the host %j',
    (value) => {
      expect(inspect(['Host', value])).toMatchObject({ host: value })
    },
  )

  it('wants a host of HTTP/1.1 and not of HTTP/1.0', () => {
    expect(inspect([])).toBe('bad_request')
    expect(inspect([], { version: '1.0' })).toMatchObject({ host: '' })
  })

  it('puts the authority of the target above the Host header, which still has to be sound', () => {
    expect(inspect(host, { url: 'http://other.example/v1' })).toMatchObject({ host: 'other.example' })
    expect(inspect([], { url: 'http://other.example/v1' })).toBe('bad_request')
    expect(inspect(host, { url: 'http://user:pass@other.example/v1' })).toBe('bad_request')
  })

  it('refuses TRACE and CONNECT as methods', () => {
    expect(inspect(host, { method: 'TRACE' })).toBe('method_not_allowed')
    expect(inspect(host, { method: 'CONNECT', url: 'a:443' })).toBe('method_not_allowed')
  })

  it('knows one expectation', () => {
    expect(inspect([...host, 'Expect', '100-Continue'])).toMatchObject({ expectsContinue: true })
    expect(inspect([...host, 'Expect', '200-maybe'])).toBe('expectation_failed')
    expect(inspect([...host, 'Expect', '100-continue', 'Expect', 'other'])).toBe('expectation_failed')
    expect(inspect([...host, 'Expect', '100-continue'], { version: '1.0' })).toMatchObject({
      expectsContinue: false,
    })
  })

  it('notices who asks for an upgrade', () => {
    expect(inspect([...host, 'UPGRADE', 'h2c'])).toMatchObject({ asksToUpgrade: true })
    expect(inspect([...host, 'Referer', 'upgrade'])).toMatchObject({ asksToUpgrade: false })
  })

  it('refuses another version of the protocol', () => {
    expect(inspect(host, { version: '2.0' })).toBe('version_not_supported')
    expect(inspect(host, { version: '0.9' })).toBe('bad_request')
  })
})
