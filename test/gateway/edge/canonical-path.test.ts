import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalTarget } from '#gateway/edge/canonical-path.ts'

const pathOf = (raw: string) => canonicalTarget('GET', raw)?.path ?? null

describe('a canonical path', () => {
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
  ])('is left as it is: %s', (raw) => {
    expect(canonicalTarget('GET', raw)).toEqual({ path: raw, query: '', target: raw, authority: null })
  })

  it.each([
    ['/v1/%61bc', '/v1/abc'],
    ['/v1/%77%65bhooks', '/v1/webhooks'],
    ['/%76%31/webhooks', '/v1/webhooks'],
    ['/v1/a%7eb%5Fc%2Dd', '/v1/a~b_c-d'],
    ['/v1/%c3%a9', '/v1/%C3%A9'],
    ['/v1/%3a%40', '/v1/%3A%40'],
  ])('is one for all spellings: %s is %s', (raw, path) => {
    expect(pathOf(raw)).toBe(path)
  })

  it.each([
    ['an encoded slash', '/v1%2fwebhooks'],
    ['an encoded slash in capitals', '/v1%2Fwebhooks'],
    ['an encoded backslash', '/v1%5cwebhooks'],
    ['NUL', '/v1/a%00'],
    ['an encoded line break', '/v1/a%0d%0aX: y'],
    ['an encoded tab', '/v1/a%09'],
    ['encoded DEL', '/v1/a%7F'],
    ['an encoded dot', '/v1/%2e%2e/webhooks'],
    ['half a pair of encoded dots', '/v1/.%2E/webhooks'],
    ['a dot segment', '/v1/../webhooks'],
    ['a single dot', '/v1/./webhooks'],
    ['a dot segment at the end', '/v1/tracks/..'],
    ['a single dot at the end', '/v1/tracks/.'],
    ['a dot segment with parameters', '/v1/x/..;a=b/webhooks'],
    ['a single dot with parameters', '/v1/.;/webhooks'],
    ['an empty segment', '//v1/tracks'],
    ['an empty segment inside', '/v1//tracks'],
    ['empty segments at the end', '/v1/tracks//'],
    ['a segment of parameters alone', '/;a/v1/webhooks'],
    ['a backslash', '/v1\\webhooks'],
    ['a bad escape', '/v1/%zz'],
    ['an unfinished escape', '/v1/a%2'],
    ['an escape of the old Microsoft kind', '/v1/%u0077ebhooks'],
    ['an escaped escape', '/v1/%2577ebhooks'],
    ['an escaped escape in pieces', '/v1/%25%37%37ebhooks'],
    ['an overlong slash', '/v1%c0%afwebhooks'],
    ['broken UTF-8', '/v1/%ff'],
    ['an encoded surrogate', '/v1/%ed%a0%80'],
    ['a slash in full width', '/v1%EF%BC%8Fwebhooks'],
    ['dots in full width', '/v1/%EF%BC%8E%EF%BC%8E/webhooks'],
    ['a two-dot leader', '/v1/%E2%80%A5/webhooks'],
    ['a fragment', '/v1/tracks#x'],
    ['a space', '/v1/a b'],
    ['a control character', '/v1/a\x01'],
    ['something beyond ASCII', '/v1/\xe9'],
    ['nothing', ''],
    ['a relative path', 'v1/tracks'],
    ['an authority', 'api.example:443'],
    ['another scheme', 'ftp://api.example/v1'],
    ['an absolute form without a host', 'http:///v1'],
  ])('does not exist for %s', (_, raw) => {
    expect(pathOf(raw)).toBeNull()
  })

  it('stays the same when it is settled again or read as a URL, whatever it was made of', () => {
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
        const once = canonicalTarget('GET', `/${parts.join('')}`)
        if (!once) return
        expect(canonicalTarget('GET', once.target)).toEqual(once)
        expect(new URL(once.target, 'http://core.example').pathname).toBe(once.path)
        expect(decodeURIComponent(once.path).split('/')).toHaveLength(once.path.split('/').length)
      }),
      { numRuns: 3000 },
    )
  })
})

describe('a canonical query', () => {
  it.each(['?', '?a=b&a=c', '?q=100%', '?next=/../x//y', '?a[]={b}|c', '?a?b'])(
    'is left as it is: %s',
    (query) => {
      expect(canonicalTarget('GET', `/v1/tracks${query}`)).toEqual({
        path: '/v1/tracks',
        query,
        target: `/v1/tracks${query}`,
        authority: null,
      })
    },
  )

  it.each(['?a#b', '?a b', '?\x01', '?\xe9'])('does not exist for %j', (query) => {
    expect(canonicalTarget('GET', `/v1/tracks${query}`)).toBeNull()
  })

  it('stays with a path that is spelled anew', () => {
    expect(canonicalTarget('GET', '/v1/%61?q=%61')?.target).toBe('/v1/a?q=%61')
  })
})

describe('the forms of a target', () => {
  it('takes the authority of an absolute form', () => {
    expect(canonicalTarget('GET', 'http://api.example:8080/v1/tracks?x=1')).toEqual({
      path: '/v1/tracks',
      query: '?x=1',
      target: '/v1/tracks?x=1',
      authority: 'api.example:8080',
    })
  })

  it.each([
    ['http://api.example', '/'],
    ['HTTPS://api.example/', '/'],
    ['http://api.example?x', '/?x'],
  ])('reads %s as %s', (raw, target) => {
    expect(canonicalTarget('GET', raw)?.target).toBe(target)
  })

  it('judges the path of an absolute form as any other', () => {
    expect(pathOf('http://api.example/v1/../webhooks')).toBeNull()
    expect(pathOf('http://api.example//v1')).toBeNull()
  })

  it('knows the asterisk for OPTIONS alone', () => {
    expect(canonicalTarget('OPTIONS', '*')?.path).toBe('*')
    expect(canonicalTarget('OPTIONS', 'http://api.example')?.path).toBe('*')
    expect(canonicalTarget('GET', '*')).toBeNull()
  })
})
