import { stat } from 'node:fs/promises'
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { StemDownloadOptions } from '#jobs/adapters/stem-download-undici.ts'

import {
  expectRetryableError,
  expectStemRejected,
  maxBytes,
  publicHost,
  startStemServers,
  stem,
} from './stem-servers.ts'

describe('reading a stem download', () => {
  const servers = startStemServers()

  it('rejects a body whose declared length exceeds the limit, without reading it', async () => {
    servers.handle = (_, response) =>
      response.writeHead(200, { 'content-length': maxBytes + 1 }).flushHeaders()
    expect(await expectStemRejected(servers.download(`${servers.allowedOrigin()}/stem`))).toBe('too_large')
    await expect(stat(servers.path)).rejects.toThrow('ENOENT')
  })

  it('rejects a chunked body once it exceeds the limit', async () => {
    const closed = Promise.withResolvers<void>()
    servers.handle = (_, response) => {
      const write = () => {
        if (!response.destroyed) response.write(Buffer.alloc(10_000), () => setImmediate(write))
      }
      response.on('close', closed.resolve)
      write()
    }
    expect(await expectStemRejected(servers.download(`${servers.allowedOrigin()}/stem`))).toBe('too_large')
    expect((await stat(servers.path)).size).toBeLessThanOrEqual(maxBytes)
    await closed.promise
  })

  it('accepts a body that is exactly as long as the limit', async () => {
    servers.handle = (_, response) => response.end(Buffer.alloc(maxBytes))
    await servers.download(`${servers.allowedOrigin()}/stem`)
    expect((await stat(servers.path)).size).toBe(maxBytes)
  })

  const startRawServer = (head: string, body: Buffer) =>
    servers.open(
      createTcpServer((socket) => {
        socket.on('error', () => undefined)
        socket.once('data', () =>
          socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`), body])),
        )
      }),
    )
  const downloadFrom = (server: TcpServer, options: Partial<StemDownloadOptions> = {}) => {
    const origin = `http://127.0.0.1:${servers.portOf(server)}`
    return servers.download(`${origin}/stem`, { allowedOrigins: [origin], ...options })
  }

  it('stores no more than the declared length', async () => {
    const server = await startRawServer('content-length: 10', Buffer.alloc(10 * maxBytes))
    await downloadFrom(server).catch(() => undefined)
    expect((await stat(servers.path)).size).toBeLessThanOrEqual(10)
  })

  it('throws a retryable error for a body that ends before its declared length', async () => {
    await expectRetryableError(downloadFrom(await startRawServer('content-length: 1000', stem)))
  })

  it('throws a retryable error for a response with both Content-Length and chunked encoding', async () => {
    const head = 'content-length: 5\r\ntransfer-encoding: chunked'
    await expectRetryableError(
      downloadFrom(await startRawServer(head, Buffer.from('5\r\nabcde\r\n0\r\n\r\n'))),
    )
  })

  it('rejects a body above the limit even if only the closed connection marks its end', async () => {
    const server = await startRawServer('connection: close', Buffer.alloc(2 * maxBytes))
    expect(await expectStemRejected(downloadFrom(server))).toBe('too_large')
  })

  it.each(['gzip', 'GZIP', 'br', 'zstd', 'identity, gzip'])(
    'rejects a response with Content-Encoding: %s',
    async (encoding) => {
      const bomb = gzipSync(Buffer.alloc(100 * maxBytes))
      expect(bomb.length).toBeLessThan(maxBytes)
      servers.handle = (_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(bomb)
      expect(await expectStemRejected(servers.download(`${servers.allowedOrigin()}/stem`))).toBe(
        'content_encoded',
      )
    },
  )

  it('times out on a stalled TLS handshake, stalled headers or a stalled body', async () => {
    const stalled = await servers.open(
      createTcpServer((socket) => void socket.on('error', () => undefined).resume()),
    )
    servers.handle = (_, response) => void response.writeHead(200).write(stem)
    const failures = await Promise.all([
      expectRetryableError(
        servers.downloadPublic({
          createConnector: servers.createConnectorTo(() => stalled),
          connectTimeoutMs: 50,
        }),
      ),
      expectRetryableError(downloadFrom(stalled, { headersTimeoutMs: 50 })),
      expectRetryableError(servers.download(`${servers.allowedOrigin()}/stem`, { bodyTimeoutMs: 50 })),
    ])
    expect(failures.map(({ code }) => code)).toEqual(Array(3).fill('stems_unavailable'))
    expect(failures.map(({ cause }) => cause)).toMatchObject([
      { code: 'UND_ERR_CONNECT_TIMEOUT' },
      { code: 'UND_ERR_HEADERS_TIMEOUT' },
      { code: 'UND_ERR_BODY_TIMEOUT' },
    ])
  })

  it('aborts a download that takes too long, even if bytes keep arriving', async () => {
    servers.handle = (_, response) => {
      const timer = setInterval(() => response.write('.'), 10)
      response.on('close', () => clearInterval(timer))
    }
    const slow = servers.download(`${servers.allowedOrigin()}/stem`, { totalTimeoutMs: 100 })
    const { code, cause } = await expectRetryableError(slow)
    expect([code, cause]).toMatchObject(['stems_unavailable', { name: 'TimeoutError' }])
  })

  it('aborts when its AbortSignal is aborted', async () => {
    const controller = new AbortController()
    servers.handle = () => controller.abort()
    expect(
      (await expectRetryableError(servers.download(`${servers.allowedOrigin()}/stem`, {}, controller.signal)))
        .name,
    ).toBe('AbortError')
  })

  it('does not reveal the path or query in its errors', async () => {
    servers.handle = (_, response) => response.writeHead(302).end()
    const rejected = await servers.downloadPublic().catch((error: unknown) => error)
    servers.handle = (_, response) => response.writeHead(500).end()
    const failed = await servers.downloadPublic().catch((error: unknown) => error)
    expect(rejected).toMatchObject({ reason: 'redirected', host: publicHost })
    for (const error of [rejected, failed] as Error[])
      expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toMatch(/signature|\/stem\?/)
  })
})
