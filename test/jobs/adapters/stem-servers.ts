import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, LookupFunction, Server as TcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildConnector } from 'undici'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { createStemDownload, type StemDownloadOptions } from '#jobs/adapters/stem-download-undici.ts'
import { StemRejectedError } from '#jobs/ports.ts'

export const maxBytes = 100_000
export const publicHost = 'stems.example.test'
export const publicAddress = { address: '93.184.216.34', family: 4 }
export const stem = Buffer.from('stem bytes')

const tlsFile = (name: string) => readFile(join(import.meta.dirname, '../../support/tls', name))

const respondWithStem: RequestListener = (_, response) => response.end(stem)

/** Starts an HTTP and an HTTPS server for a test file. The `download` functions fetch stems from them. */
export const startStemServers = () => {
  const servers = {
    handle: respondWithStem,
    requested: [] as string[],
    connectedTo: [] as string[],
    path: '',
  }
  const listener: RequestListener = (request, response) => {
    servers.requested.push(request.url ?? '')
    servers.handle(request, response)
  }
  const httpServer = createServer(listener)
  const opened: TcpServer[] = []
  let httpsServer: Server
  let ca: Buffer
  let folder: string

  const portOf = (server: TcpServer) => (server.address() as AddressInfo).port
  const open = async <S extends TcpServer>(server: S) => {
    opened.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return server
  }
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossfade-test-'))
    servers.path = join(folder, 'stem')
    ca = await tlsFile('cert.pem')
    httpsServer = createHttpsServer({ key: await tlsFile('key.pem'), cert: ca }, listener)
    await open(httpServer)
    await open(httpsServer)
  })
  afterEach(async () => {
    servers.handle = respondWithStem
    servers.requested = []
    servers.connectedTo = []
    await rm(servers.path, { force: true })
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
          for (const { address } of addresses as { address: string }[]) servers.connectedTo.push(address)
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
      servers.path,
      signal ?? new AbortController().signal,
    )
  const downloadPublic = (options: Partial<StemDownloadOptions> = {}) =>
    download(publicUrl, {
      resolveHost: async () => [publicAddress],
      createConnector: createConnectorTo(() => httpsServer),
      ...options,
    })
  return Object.assign(servers, {
    open,
    portOf,
    allowedOrigin,
    createConnectorTo,
    httpsServer: () => httpsServer,
    download,
    downloadPublic,
  })
}

export const expectStemRejected = async (downloading: Promise<void>) => {
  const error = await downloading.catch((thrown: unknown) => thrown)
  if (!(error instanceof StemRejectedError)) throw error ?? new Error('the download succeeded')
  return error.reason
}
export const expectRetryableError = async (downloading: Promise<void>) => {
  const error = await downloading.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(Error)
  expect(error).not.toBeInstanceOf(StemRejectedError)
  return error as Error & { code?: string }
}
