import { describe, expect, it } from 'vitest'
import { findTlsParameterError, requiresDatabaseCa, resolveServers } from '#db/client/database-tls.ts'

const ca = '-----BEGIN CERTIFICATE-----'
const urlOf = (host: string, query = '') => `postgres://u:p%40ss@${host}:5432/app${query}`
const tlsOf = (host: string, query = '', trusted?: string) =>
  resolveServers(urlOf(host, query), trusted)[0].ssl

describe('resolveServers', () => {
  it.each(['127.0.0.1', '127.8.8.8', 'localhost', 'LOCALHOST', '[::1]', '%2Fvar%2Frun%2Fpostgresql'])(
    'does not encrypt connections to %s without an sslmode, with or without a CA',
    (host) => {
      expect(tlsOf(host)).toBe(false)
      expect(tlsOf(host, '', ca)).toBe(false)
    },
  )

  it.each([
    'db.example.test',
    '10.0.0.7',
    '[2001:db8::1]',
    '0.0.0.0',
    'localhost.example.test',
    'db.localhost',
    '127.0.0.1.example.test',
    '127.1',
  ])('verifies the certificate of %s without an sslmode', (host) => {
    const name = host.replace(/[[\]]/g, '')
    expect(tlsOf(host)).toEqual({ rejectUnauthorized: true, host: name })
    expect(tlsOf(host, '', ca)).toEqual({ rejectUnauthorized: true, host: name, ca })
  })

  const noVerification = { rejectUnauthorized: false }
  const anyName = { rejectUnauthorized: true, checkServerIdentity: expect.any(Function), ca }
  it.each([
    ['disable', undefined, false],
    ['disable', ca, false],
    ['allow', undefined, 'prefer'],
    ['prefer', undefined, 'prefer'],
    ['prefer', ca, 'prefer'],
    ['require', undefined, noVerification],
    ['require', ca, anyName],
    ['verify-ca', ca, anyName],
    ['verify-full', undefined, { rejectUnauthorized: true, host: 'HOST' }],
    ['verify-full', ca, { rejectUnauthorized: true, host: 'HOST', ca }],
  ])('honours sslmode=%s for every host', (mode, trusted, ssl) => {
    for (const host of ['db.example.test', '127.0.0.1']) {
      const expected = typeof ssl === 'object' && 'host' in ssl ? { ...ssl, host } : ssl
      expect(resolveServers(urlOf(host, `?sslmode=${mode}`), trusted)).toEqual([
        { url: urlOf(host), ssl: expected },
      ])
    }
  })

  it('resolves each host of a URL with several hosts', () => {
    const url = 'postgres://u:p@127.0.0.1,db.test:5433/app?target_session_attrs=primary'
    expect(resolveServers(url, undefined)).toEqual([
      { url: 'postgres://u:p@127.0.0.1/app', ssl: false },
      { url: 'postgres://u:p@db.test:5433/app', ssl: { rejectUnauthorized: true, host: 'db.test' } },
    ])
  })

  it("treats ssl=true as sslmode=require, and keeps the URL's other parameters", () => {
    const resolved = resolveServers(urlOf('db.test', '?application_name=a&ssl=true'), undefined)
    expect(resolved).toEqual([{ url: urlOf('db.test', '?application_name=a'), ssl: noVerification }])
  })
})

describe('the TLS parameters in a database URL', () => {
  it.each(['?sslmode=no-verify', '?sslmode=REQUIRE', '?sslmode=', '?ssl=1'])('cannot be %s', (query) => {
    expect(findTlsParameterError(urlOf('db.test', query))).toMatch(/sslmode: disable, allow, prefer/)
  })

  it.each(['sslrootcert', 'sslcert', 'sslkey', 'sslcrldir'])('cannot include %s', (name) => {
    expect(findTlsParameterError(urlOf('db.test', `?sslmode=verify-full&${name}=/a.pem`))).toBe(
      `must not contain ${name}: set DATABASE_CA to the path of a CA bundle`,
    )
  })

  it.each(['host', 'hostaddr', 'port', 'sslnegotiation', 'uselibpqcompat'])('cannot include %s', (name) => {
    expect(findTlsParameterError(urlOf('db.test', `?${name}=1`))).toBe(
      `must not contain the parameter ${name}`,
    )
  })

  it('require a CA only for verify-ca', () => {
    expect(requiresDatabaseCa(urlOf('db.test', '?sslmode=verify-ca'))).toBe(true)
    for (const query of ['', '?sslmode=verify-full', '?sslmode=require'])
      expect([
        requiresDatabaseCa(urlOf('db.test', query)),
        findTlsParameterError(urlOf('db.test', query)),
      ]).toEqual([false, null])
  })
})
