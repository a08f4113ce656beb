import { readFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { readCaFile } from '#gateway/settings/read-files.ts'
import { get, sendRaw } from '#test/support/raw-client.ts'
import { databaseCaFile, otherCaFile } from '#test/support/tls-database.ts'
import { startPoolGateway } from './forwarding-gateway.ts'

const tls = join(import.meta.dirname, '../support/tls')
// The core's certificate, for 0.0.0.0 and signed by the CA.
const coreFiles = [join(tls, 'database-cert.pem'), join(tls, 'database-key.pem')] as const
// The gateway's certificate, which is self-signed.
const certFile = otherCaFile
const keyFile = join(tls, 'key.pem')

describe('a core behind TLS', () => {
  const read = (file: string) => readFile(file, 'utf8')
  let ca: string
  let cert: string
  let key: string
  beforeAll(async () => {
    ca = await read(databaseCaFile)
    cert = await read(certFile)
    key = await read(keyFile)
  })

  const startCore = async () => {
    const authorized: boolean[] = []
    const server = createServer(
      {
        cert: await read(coreFiles[0]),
        key: await read(coreFiles[1]),
        ca: cert,
        requestCert: true,
        rejectUnauthorized: true,
      },
      (request, response) => {
        authorized.push((request.socket as TLSSocket).authorized)
        response.end('ok')
      },
    )
    await new Promise<void>((resolve) => server.listen(0, resolve))
    onTestFinished(async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    })
    const { port } = server.address() as AddressInfo
    return { url: `https://0.0.0.0:${port}`, authorized }
  }

  const forwardWith = async (url: string, connection: object) => {
    const gateway = await startPoolGateway([url], { connection })
    onTestFinished(() => gateway.close())
    return (await sendRaw(gateway.port, get('/v1/tracks'))).status
  }

  it("gets the gateway's certificate if the configured CA has signed its own", async () => {
    const { url, authorized } = await startCore()
    const settings = await readCaFile({
      CORE_CA: databaseCaFile,
      CORE_CLIENT_CERT: certFile,
      CORE_CLIENT_KEY: keyFile,
    })
    const { CORE_CA, CORE_CLIENT_CERT, CORE_CLIENT_KEY } = settings
    expect(await forwardWith(url, { ca: CORE_CA, cert: CORE_CLIENT_CERT, key: CORE_CLIENT_KEY })).toBe(200)
    expect(authorized).toEqual([true])
  })

  it('gets no request if a different CA has signed its certificate', async () => {
    const { url, authorized } = await startCore()
    expect(await forwardWith(url, { ca: cert, cert, key })).toBe(503)
    expect(await forwardWith(url, { cert, key })).toBe(503)
    expect(authorized).toEqual([])
  })

  it('gets no request if the gateway has no certificate', async () => {
    const { url, authorized } = await startCore()
    expect(await forwardWith(url, { ca })).toBeGreaterThanOrEqual(502)
    expect(authorized).toEqual([])
  })
})

it('CORE_CLIENT_KEY keeps its path if the key does not match the certificate, so validation reports it', async () => {
  const given = { CORE_CLIENT_CERT: certFile, CORE_CLIENT_KEY: coreFiles[1] }
  const settings = await readCaFile(given)
  expect(settings.CORE_CLIENT_KEY).toBe(given.CORE_CLIENT_KEY)
})
