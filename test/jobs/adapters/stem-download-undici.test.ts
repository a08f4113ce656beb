import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import {
  expectRetryableError,
  expectStemRejected,
  publicAddress,
  publicHost,
  startStemServers,
  stem,
} from './stem-servers.ts'

describe('a stem download', () => {
  const servers = startStemServers()

  it("uses http for an allowed origin, and includes the URL's query", async () => {
    await servers.download(`${servers.allowedOrigin()}/stem?signature=secret`)
    expect(await readFile(servers.path)).toEqual(stem)
    expect(servers.requested).toEqual(['/stem?signature=secret'])
  })

  it('uses https for a public host', async () => {
    await servers.downloadPublic()
    expect(await readFile(servers.path)).toEqual(stem)
    expect(servers.connectedTo).toEqual([publicAddress.address])
  })

  it('throws a retryable error if the certificate belongs to a different host', async () => {
    const error = await expectRetryableError(
      servers.download('https://other.example.test/stem', {
        resolveHost: async () => [publicAddress],
        createConnector: servers.createConnectorTo(servers.httpsServer),
      }),
    )
    expect(error.code).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
    expect(servers.requested).toEqual([])
  })

  it.each([
    'https://127.0.0.1/',
    'https://127.0.0.1./',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://１２７.0.0.1/',
    'https://0/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://localhost/',
    'https://LOCALHOST/',
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'http://93.184.216.34/',
    'http://stems.example.test/',
    'http://stems.example.test:443/',
    'https://stems.example.test:8443/',
    'https://stems.example.test:80/',
    'https://user:password@stems.example.test/',
    'https://user@stems.example.test/',
    'ftp://stems.example.test/',
    'file:///etc/passwd',
    'data:audio/wav;base64,UklGRg==',
    'blob:https://stems.example.test/1',
    'not a URL',
  ])('rejects %s without connecting anywhere', async (url) => {
    const createConnector = () => () => expect.unreachable()
    expect(await expectStemRejected(servers.download(url, { createConnector }))).toBe(
      'destination_not_allowed',
    )
  })

  it.each([
    ['another scheme', () => servers.allowedOrigin().replace('http', 'https')],
    ['another name of its host', () => servers.allowedOrigin().replace('127.0.0.1', 'localhost')],
    ['another port', () => 'http://127.0.0.1:1'],
    ['credentials', () => servers.allowedOrigin().replace('//', '//user:password@')],
    ['the allowed origin as credentials', () => `${servers.allowedOrigin()}@localhost`],
  ])('rejects an origin that differs from an allowed one by %s', async (_, origin) => {
    expect(await expectStemRejected(servers.download(`${origin()}/stem`))).toBe('destination_not_allowed')
    expect(servers.requested).toEqual([])
  })

  it.each([
    ['a public name that resolves to a private address', [{ address: '10.0.0.7', family: 4 }]],
    ['a name that resolves to loopback', [{ address: '127.0.0.1', family: 4 }]],
    ['one public and one private address', [publicAddress, { address: '192.168.0.1', family: 4 }]],
    ['a public IPv4 and a loopback IPv6 address', [publicAddress, { address: '::1', family: 6 }]],
    ['an IPv4-mapped private address', [{ address: '::ffff:10.0.0.7', family: 6 }]],
  ])('rejects %s', async (_, addresses) => {
    const resolveHost = async () => addresses
    expect(await expectStemRejected(servers.downloadPublic({ resolveHost }))).toBe('destination_not_allowed')
    expect(servers.connectedTo).toEqual([])
  })

  it('connects to the checked addresses even if a second lookup would return others', async () => {
    const results = [[publicAddress], [{ address: '127.0.0.1', family: 4 }]]
    let lookups = 0
    const resolveHost = async (host: string) => {
      expect(host).toBe(publicHost)
      return results[Math.min(lookups++, 1)]!
    }
    await servers.downloadPublic({ resolveHost })
    expect(lookups).toBe(1)
    expect(servers.connectedTo).toEqual([publicAddress.address])
  })

  it('rejects a host name with a trailing dot if it resolves to loopback', async () => {
    const resolveHost = async (host: string) => {
      expect(host).toBe('localhost.')
      return [{ address: '127.0.0.1', family: 4 }]
    }
    const rejected = servers.download('https://localhost./stem', { resolveHost })
    expect(await expectStemRejected(rejected)).toBe('destination_not_allowed')
  })

  it('throws a retryable error for a host that cannot be resolved', async () => {
    await expectRetryableError(servers.downloadPublic({ resolveHost: async () => [] }))
    const resolveHost = async () => Promise.reject(new Error('ENOTFOUND'))
    const { code, cause } = await expectRetryableError(servers.downloadPublic({ resolveHost }))
    expect([code, cause]).toMatchObject(['stems_unavailable', { message: 'ENOTFOUND' }])
  })

  it.each([301, 302, 303, 307, 308])('rejects a redirect with status %i', async (status) => {
    servers.handle = (_, response) =>
      response.writeHead(status, { location: `${servers.allowedOrigin()}/metrics` }).end()
    expect(await expectStemRejected(servers.download(`${servers.allowedOrigin()}/stem`))).toBe('redirected')
    expect(await expectStemRejected(servers.downloadPublic())).toBe('redirected')
    expect(servers.requested).toEqual(['/stem', '/stem?signature=secret'])
  })

  it.each([403, 404, 500, 503])('throws a retryable error for status %i', async (status) => {
    servers.handle = (_, response) => response.writeHead(status).end(stem)
    await expectRetryableError(servers.download(`${servers.allowedOrigin()}/stem`))
  })
})
