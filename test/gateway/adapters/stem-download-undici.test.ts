import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, LookupFunction } from 'node:net'
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildConnector } from 'undici'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createStemDownload, type StemDownloadOptions } from '#gateway/adapters/stem-download-undici.ts'
import { StemRejectedError } from '#jobs/stem-rejected-error.ts'

const maxBytes = 100_000
const publicHost = 'stems.example.test'
const publicAddress = { address: '93.184.216.34', family: 4 }
const stem = Buffer.from('stem bytes')

const tlsFile = (name: string) => readFile(join(import.meta.dirname, '../../support/tls', name))

describe('a stem download', () => {
  let handle: RequestListener = (_, response) => response.end(stem)
  let requested: string[] = []
  let connectedTo: string[] = []
  const listener: RequestListener = (request, response) => {
    requested.push(request.url ?? '')
    handle(request, response)
  }
  const httpServer = createServer(listener)
  const opened: TcpServer[] = []
  let httpsServer: Server
  let ca: Buffer
  let folder: string
  let path: string

  const portOf = (server: TcpServer) => (server.address() as AddressInfo).port
  const open = async <S extends TcpServer>(server: S) => {
    opened.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return server
  }
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossfade-test-'))
    path = join(folder, 'stem')
    ca = await tlsFile('cert.pem')
    httpsServer = createHttpsServer({ key: await tlsFile('key.pem'), cert: ca }, listener)
    await open(httpServer)
    await open(httpsServer)
  })
  afterEach(async () => {
    handle = (_, response) => response.end(stem)
    requested = []
    connectedTo = []
    await rm(path, { force: true })
  })
  afterAll(async () => {
    for (const server of opened) {
      if ('closeAllConnections' in server) (server as Server).closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
    await rm(folder, { recursive: true })
  })

  const allowedOrigin = () => `http://127.0.0.1:${portOf(httpServer)}`
  const publicUrl = `https://${publicHost}/stem?signature=secret`

  // Simulates the Internet: connections to public addresses reach a local server.
  const createConnectorTo =
    (server: () => TcpServer): typeof buildConnector =>
    (options = {}) => {
      const { lookup } = options as { lookup?: LookupFunction }
      const toLoopback: LookupFunction = (host, lookupOptions, callback) => {
        lookup?.(host, { ...lookupOptions, all: true }, (_, addresses) => {
          for (const { address } of addresses as { address: string }[]) connectedTo.push(address)
        })
        if (lookupOptions.all) callback(null, [{ address: '127.0.0.1', family: 4 }])
        else callback(null, '127.0.0.1', 4)
      }
      const connect = buildConnector({ ...options, ca, lookup: toLoopback })
      return (target, callback) => connect({ ...target, port: String(portOf(server())) }, callback)
    }

  const download = (url: string, options: Partial<StemDownloadOptions> = {}, signal?: AbortSignal) =>
    createStemDownload({ allowedOrigins: [allowedOrigin()], maxBytes, ...options }).download(
      url,
      path,
      signal ?? new AbortController().signal,
    )
  const downloadPublic = (options: Partial<StemDownloadOptions> = {}) =>
    download(publicUrl, {
      resolveHost: async () => [publicAddress],
      createConnector: createConnectorTo(() => httpsServer),
      ...options,
    })
  const expectStemRejected = async (downloading: Promise<void>) => {
    const error = await downloading.catch((thrown: unknown) => thrown)
    if (!(error instanceof StemRejectedError)) throw error ?? new Error('the download succeeded')
    return error.reason
  }
  const expectRetryableError = async (downloading: Promise<void>) => {
    const error = await downloading.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(error).not.toBeInstanceOf(StemRejectedError)
    return error as Error & { code?: string }
  }

  it('downloads from an allowed origin over http, with the query of the URL', async () => {
    await download(`${allowedOrigin()}/stem?signature=secret`)
    expect(await readFile(path)).toEqual(stem)
    expect(requested).toEqual(['/stem?signature=secret'])
  })

  it('downloads from a public host over https', async () => {
    await downloadPublic()
    expect(await readFile(path)).toEqual(stem)
    expect(connectedTo).toEqual([publicAddress.address])
  })

  it('throws a retryable error for the certificate of another host', async () => {
    const error = await expectRetryableError(
      download('https://other.example.test/stem', {
        resolveHost: async () => [publicAddress],
        createConnector: createConnectorTo(() => httpsServer),
      }),
    )
    expect(error.code).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
    expect(requested).toEqual([])
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
    expect(await expectStemRejected(download(url, { createConnector }))).toBe('destination_not_allowed')
  })

  it.each([
    ['another scheme', () => allowedOrigin().replace('http', 'https')],
    ['another name of its host', () => allowedOrigin().replace('127.0.0.1', 'localhost')],
    ['another port', () => 'http://127.0.0.1:1'],
    ['credentials', () => allowedOrigin().replace('//', '//user:password@')],
    ['the allowed origin as credentials', () => `${allowedOrigin()}@localhost`],
  ])('rejects an origin that differs from an allowed one by %s', async (_, origin) => {
    expect(await expectStemRejected(download(`${origin()}/stem`))).toBe('destination_not_allowed')
    expect(requested).toEqual([])
  })

  it.each([
    ['a public name that resolves to a private address', [{ address: '10.0.0.7', family: 4 }]],
    ['a name that resolves to loopback', [{ address: '127.0.0.1', family: 4 }]],
    ['two addresses of which one is private', [publicAddress, { address: '192.168.0.1', family: 4 }]],
    ['a public IPv4 and a loopback IPv6 address', [publicAddress, { address: '::1', family: 6 }]],
    ['an IPv4-mapped private address', [{ address: '::ffff:10.0.0.7', family: 6 }]],
  ])('rejects %s', async (_, addresses) => {
    const resolveHost = async () => addresses
    expect(await expectStemRejected(downloadPublic({ resolveHost }))).toBe('destination_not_allowed')
    expect(connectedTo).toEqual([])
  })

  it('connects to the checked addresses even if a second lookup returned others', async () => {
    const results = [[publicAddress], [{ address: '127.0.0.1', family: 4 }]]
    let lookups = 0
    const resolveHost = async (host: string) => {
      expect(host).toBe(publicHost)
      return results[Math.min(lookups++, 1)]!
    }
    await downloadPublic({ resolveHost })
    expect(lookups).toBe(1)
    expect(connectedTo).toEqual([publicAddress.address])
  })

  it('rejects a host with a trailing dot that resolves to loopback', async () => {
    const resolveHost = async (host: string) => {
      expect(host).toBe('localhost.')
      return [{ address: '127.0.0.1', family: 4 }]
    }
    const rejected = download('https://localhost./stem', { resolveHost })
    expect(await expectStemRejected(rejected)).toBe('destination_not_allowed')
  })

  it('throws a retryable error for a host that cannot be resolved', async () => {
    await expectRetryableError(downloadPublic({ resolveHost: async () => [] }))
    const resolveHost = async () => Promise.reject(new Error('ENOTFOUND'))
    expect((await expectRetryableError(downloadPublic({ resolveHost }))).message).toBe('ENOTFOUND')
  })

  it.each([301, 302, 303, 307, 308])('rejects a redirect with status %i', async (status) => {
    handle = (_, response) => response.writeHead(status, { location: `${allowedOrigin()}/metrics` }).end()
    expect(await expectStemRejected(download(`${allowedOrigin()}/stem`))).toBe('redirected')
    expect(await expectStemRejected(downloadPublic())).toBe('redirected')
    expect(requested).toEqual(['/stem', '/stem?signature=secret'])
  })

  it.each([403, 404, 500, 503])('throws a retryable error for status %i', async (status) => {
    handle = (_, response) => response.writeHead(status).end(stem)
    await expectRetryableError(download(`${allowedOrigin()}/stem`))
  })

  it('rejects a body by its declared length before reading it', async () => {
    handle = (_, response) => response.writeHead(200, { 'content-length': maxBytes + 1 }).flushHeaders()
    expect(await expectStemRejected(download(`${allowedOrigin()}/stem`))).toBe('too_large')
    await expect(stat(path)).rejects.toThrow('ENOENT')
  })

  it('rejects a chunked body once it exceeds the limit', async () => {
    const closed = Promise.withResolvers<void>()
    handle = (_, response) => {
      const write = () => {
        if (!response.destroyed) response.write(Buffer.alloc(10_000), () => setImmediate(write))
      }
      response.on('close', closed.resolve)
      write()
    }
    expect(await expectStemRejected(download(`${allowedOrigin()}/stem`))).toBe('too_large')
    expect((await stat(path)).size).toBeLessThanOrEqual(maxBytes)
    await closed.promise
  })

  it('accepts a body of exactly the limit', async () => {
    handle = (_, response) => response.end(Buffer.alloc(maxBytes))
    await download(`${allowedOrigin()}/stem`)
    expect((await stat(path)).size).toBe(maxBytes)
  })

  const startRawServer = (head: string, body: Buffer) =>
    open(
      createTcpServer((socket) => {
        socket.on('error', () => undefined)
        socket.once('data', () =>
          socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`), body])),
        )
      }),
    )
  const downloadFrom = (server: TcpServer, options: Partial<StemDownloadOptions> = {}) => {
    const origin = `http://127.0.0.1:${portOf(server)}`
    return download(`${origin}/stem`, { allowedOrigins: [origin], ...options })
  }

  it('stores no more than the declared length', async () => {
    const server = await startRawServer('content-length: 10', Buffer.alloc(10 * maxBytes))
    await downloadFrom(server).catch(() => undefined)
    expect((await stat(path)).size).toBeLessThanOrEqual(10)
  })

  it('throws a retryable error for a body that ends before its declared length', async () => {
    await expectRetryableError(downloadFrom(await startRawServer('content-length: 1000', stem)))
  })

  it('throws a retryable error for a response with both a length and a chunked body', async () => {
    const head = 'content-length: 5\r\ntransfer-encoding: chunked'
    await expectRetryableError(
      downloadFrom(await startRawServer(head, Buffer.from('5\r\nabcde\r\n0\r\n\r\n'))),
    )
  })

  it('rejects a body above the limit that ends with the connection', async () => {
    const server = await startRawServer('connection: close', Buffer.alloc(2 * maxBytes))
    expect(await expectStemRejected(downloadFrom(server))).toBe('too_large')
  })

  it.each(['gzip', 'GZIP', 'br', 'zstd', 'identity, gzip'])(
    'rejects a response with Content-Encoding: %s',
    async (encoding) => {
      const bomb = gzipSync(Buffer.alloc(100 * maxBytes))
      expect(bomb.length).toBeLessThan(maxBytes)
      handle = (_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(bomb)
      expect(await expectStemRejected(download(`${allowedOrigin()}/stem`))).toBe('content_encoded')
    },
  )

  it('times out on a stalled TLS handshake, stalled headers or a stalled body', async () => {
    const stalled = await open(createTcpServer((socket) => void socket.on('error', () => undefined).resume()))
    handle = (_, response) => void response.writeHead(200).write(stem)
    const failures = await Promise.all([
      expectRetryableError(
        downloadPublic({ createConnector: createConnectorTo(() => stalled), connectTimeoutMs: 50 }),
      ),
      expectRetryableError(downloadFrom(stalled, { headersTimeoutMs: 50 })),
      expectRetryableError(download(`${allowedOrigin()}/stem`, { bodyTimeoutMs: 50 })),
    ])
    expect(failures.map(({ code }) => code)).toEqual([
      'UND_ERR_CONNECT_TIMEOUT',
      'UND_ERR_HEADERS_TIMEOUT',
      'UND_ERR_BODY_TIMEOUT',
    ])
  })

  it('aborts a body that arrives one byte at a time', async () => {
    handle = (_, response) => {
      const timer = setInterval(() => response.write('.'), 10)
      response.on('close', () => clearInterval(timer))
    }
    const slow = download(`${allowedOrigin()}/stem`, { totalTimeoutMs: 100 })
    expect((await expectRetryableError(slow)).name).toBe('TimeoutError')
  })

  it('aborts when its AbortSignal is aborted', async () => {
    const controller = new AbortController()
    handle = () => controller.abort()
    expect(
      (await expectRetryableError(download(`${allowedOrigin()}/stem`, {}, controller.signal))).name,
    ).toBe('AbortError')
  })

  it('does not reveal the path or query in its errors', async () => {
    handle = (_, response) => response.writeHead(302).end()
    const rejected = await downloadPublic().catch((error: unknown) => error)
    handle = (_, response) => response.writeHead(500).end()
    const failed = await downloadPublic().catch((error: unknown) => error)
    expect(rejected).toMatchObject({ reason: 'redirected', host: publicHost })
    for (const error of [rejected, failed] as Error[])
      expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toMatch(/signature|\/stem\?/)
  })
})
