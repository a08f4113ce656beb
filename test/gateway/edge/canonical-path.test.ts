import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalizeTarget } from '#gateway/edge/inspect-request.ts'

const canonicalize = (raw: string) => canonicalizeTarget('GET', raw)?.path ?? null

describe('the path that canonicalizeTarget returns', () => {
  it.each([
    '/',
    '/v1/tracks',
    '/v1/tracks/',
    '/V1/Tracks',
    '/v1/tracks/trk_1-2~3',
    "/v1/a!$&'()*+,;=:@b",
    '/.well-known/x',
    '/v1/...',
    '/v1/.hidden',
    '/v1/a..b',
    '/v1/a.b/c',
    '/v1/a;b=c/d',
    '/v1/[x]|{y}',
    '/v1/%20%C3%A9',
  ])('is unchanged: %s', (raw) => {
    expect(canonicalizeTarget('GET', raw)).toEqual({
      path: raw,
      query: '',
      target: raw,
      authority: null,
      isRewritten: false,
    })
  })

  it.each([
    ['/v1/%61bc', '/v1/abc'],
    ['/v1/%77%65bhooks', '/v1/webhooks'],
    ['/%76%31/webhooks', '/v1/webhooks'],
    ['/v1/a%7eb%5Fc%2Dd', '/v1/a~b_c-d'],
    ['/v1/%c3%a9', '/v1/%C3%A9'],
    ['/v1/%3a%40', '/v1/%3A%40'],
  ])('has normalized escapes: %s becomes %s', (raw, path) => {
    expect(canonicalize(raw)).toBe(path)
  })

  it.each([
    ['an encoded slash', '/v1%2fwebhooks'],
    ['an encoded slash in upper case', '/v1%2Fwebhooks'],
    ['an encoded backslash', '/v1%5cwebhooks'],
    ['NUL', '/v1/a%00'],
    ['an encoded line break', '/v1/a%0d%0aX: y'],
    ['an encoded tab', '/v1/a%09'],
    ['encoded DEL', '/v1/a%7F'],
    ['an encoded dot', '/v1/%2e%2e/webhooks'],
    ['a dot followed by an encoded dot', '/v1/.%2E/webhooks'],
    ['a dot segment', '/v1/../webhooks'],
    ['a single-dot segment', '/v1/./webhooks'],
    ['a trailing dot segment', '/v1/tracks/..'],
    ['a trailing single-dot segment', '/v1/tracks/.'],
    ['a dot segment with parameters', '/v1/x/..;a=b/webhooks'],
    ['a single-dot segment with parameters', '/v1/.;/webhooks'],
    ['an empty segment', '//v1/tracks'],
    ['an inner empty segment', '/v1//tracks'],
    ['a trailing empty segment', '/v1/tracks//'],
    ['a segment that consists only of parameters', '/;a/v1/webhooks'],
    ['a backslash', '/v1\\webhooks'],
    ['a malformed escape', '/v1/%zz'],
    ['an incomplete escape', '/v1/a%2'],
    ['a %u escape', '/v1/%u0077ebhooks'],
    ['a doubly encoded character', '/v1/%2577ebhooks'],
    ['a doubly encoded escape whose digits are encoded', '/v1/%25%37%37ebhooks'],
    ['an overlong encoded slash', '/v1%c0%afwebhooks'],
    ['invalid UTF-8', '/v1/%ff'],
    ['an encoded surrogate', '/v1/%ed%a0%80'],
    ['a full-width slash', '/v1%EF%BC%8Fwebhooks'],
    ['full-width dots', '/v1/%EF%BC%8E%EF%BC%8E/webhooks'],
    ['a two-dot leader', '/v1/%E2%80%A5/webhooks'],
    ['a fragment', '/v1/tracks#x'],
    ['a space', '/v1/a b'],
    ['a control character', '/v1/a\x01'],
    ['a non-ASCII character', '/v1/\xe9'],
    ['an empty target', ''],
    ['a relative path', 'v1/tracks'],
    ['an authority-form target', 'api.example:443'],
    ['an unsupported scheme', 'ftp://api.example/v1'],
    ['an absolute-form target without a host', 'http:///v1'],
  ])('is null for %s', (_, raw) => {
    expect(canonicalize(raw)).toBeNull()
  })

  it('does not change when it is canonicalized again or parsed as a URL, for any input', () => {
    const part = fc.constantFrom(
      '/',
      'v1',
      'a',
      '.',
      ';',
      '%',
      '2',
      'f',
      'e',
      '5',
      '%41',
      '%2',
      '\\',
      'é',
      '%C3%A9',
      '?',
      '~',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const once = canonicalizeTarget('GET', `/${parts.join('')}`)
        if (!once) return
        expect(canonicalizeTarget('GET', once.target)).toEqual({ ...once, isRewritten: false })
        expect(new URL(once.target, 'http://core.example').pathname).toBe(once.path)
        expect(decodeURIComponent(once.path).split('/')).toHaveLength(once.path.split('/').length)
      }),
      { numRuns: 3000 },
    )
  })
})

describe('the query that canonicalizeTarget returns', () => {
  it.each(['?', '?a=b&a=c', '?q=100%', '?next=/../x//y', '?a[]={b}|c', '?a?b'])(
    'is unchanged: %s',
    (search) => {
      expect(canonicalizeTarget('GET', `/v1/tracks${search}`)).toEqual({
        path: '/v1/tracks',
        query: search.slice(1),
        target: `/v1/tracks${search}`,
        authority: null,
        isRewritten: false,
      })
    },
  )

  it.each(['?a#b', '?a b', '?\x01', '?\xe9'])('is null for %j', (query) => {
    expect(canonicalizeTarget('GET', `/v1/tracks${query}`)).toBeNull()
  })

  it('is unchanged when the path is normalized', () => {
    expect(canonicalizeTarget('GET', '/v1/%61?q=%61')?.target).toBe('/v1/a?q=%61')
  })
})

describe('canonicalizeTarget', () => {
  it('returns the authority of an absolute-form target', () => {
    expect(canonicalizeTarget('GET', 'http://api.example:8080/v1/tracks?x=1')).toEqual({
      path: '/v1/tracks',
      query: 'x=1',
      target: '/v1/tracks?x=1',
      authority: 'api.example:8080',
      isRewritten: false,
    })
  })

  it.each([
    ['http://api.example', '/'],
    ['HTTPS://api.example/', '/'],
    ['http://api.example?x', '/?x'],
  ])('reads %s as %s', (raw, target) => {
    expect(canonicalizeTarget('GET', raw)?.target).toBe(target)
  })

  it('validates the path of an absolute-form target', () => {
    expect(canonicalize('http://api.example/v1/../webhooks')).toBeNull()
    expect(canonicalize('http://api.example//v1')).toBeNull()
  })

  it('accepts the asterisk form only for OPTIONS', () => {
    expect(canonicalizeTarget('OPTIONS', '*')?.path).toBe('*')
    expect(canonicalizeTarget('OPTIONS', 'http://api.example')?.path).toBe('*')
    expect(canonicalizeTarget('GET', '*')).toBeNull()
  })
})
