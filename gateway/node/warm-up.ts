import { once } from 'node:events'
import { Agent, createServer, get } from 'node:http'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { withTimeout } from '#shared/with-timeout.ts'
import type { Log } from '../observability/log.ts'
import { fixedControl } from '../request/route-control.ts'
import { formatListeningUrl } from '../settings/listeners.ts'
import { readSandboxSettings, type Settings } from '../settings/settings.ts'
import { startNodeGateway } from './start-node-gateway.ts'

const host = '127.0.0.1'
const maxMs = 3000
const requestsPerPath = 50
/** Paths and the status that each returns: one that is not in the route table, a forwarded route and a native route. */
const paths = [
  ['/v1/none', 200],
  ['/v1/tracks', 200],
  ['/v1/libraries/lib_none', 404],
] as const

type DatabaseSettings = Pick<Settings, 'DATABASE_URL' | 'DATABASE_CA' | 'DATABASE_PREPARE'>

const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {}, request: () => {} }

/** Starts a server that stands in for the core and the token issuer. */
const startStandIn = async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const keys = JSON.stringify({ keys: [await exportJWK(publicKey)] })
  const server = createServer((incoming, outgoing) => {
    outgoing.setHeader('content-type', 'application/json')
    outgoing.end(incoming.url === '/keys' ? keys : '{}')
  })
  await once(server.listen(0, host), 'listening')
  const address = server.address()
  const url = formatListeningUrl(host, typeof address === 'object' ? (address?.port ?? 0) : 0)
  const token = await new SignJWT()
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer(url)
    .setAudience(url)
    .setSubject('acct_none')
    .setExpirationTime('1m')
    .sign(privateKey)
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url, token, close }
}

const readWarmUpSettings = (
  url: string,
  { DATABASE_URL, DATABASE_CA, DATABASE_PREPARE }: DatabaseSettings,
) => {
  const settings = readSandboxSettings({
    HOST: host,
    PORT: '0',
    ADMIN_PORT: 'off',
    DATABASE_URL: 'postgres://none',
    CORE_BASE_URL: url,
    AUTH_ISSUER: url,
    AUTH_AUDIENCE: url,
    AUTH_JWKS_URL: `${url}/keys`,
    GATEWAY_SECRET: crypto.randomUUID(),
    STORAGE_ENDPOINT: url,
    STORAGE_REGION: 'none',
    STORAGE_BUCKET: 'none',
    STORAGE_ACCESS_KEY_ID: 'none',
    STORAGE_SECRET_ACCESS_KEY: 'none',
  })
  return { ...settings, DATABASE_URL, DATABASE_CA, DATABASE_PREPARE }
}

const sendRequests = async (url: string, token: string, signal: AbortSignal) => {
  const agent = new Agent({ keepAlive: true })
  const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' }
  try {
    for (let sent = 0; sent < requestsPerPath; sent++)
      for (const [path, status] of paths) {
        const [response] = await once(get(url + path, { agent, headers, signal }), 'response')
        await text(response)
        if (response.statusCode !== status) throw new Error(`${path} returned ${response.statusCode}`)
      }
  } finally {
    agent.destroy()
  }
}

const serveRequests = async (settings: DatabaseSettings, signal: AbortSignal) => {
  const standIn = await startStandIn()
  try {
    const gateway = await startNodeGateway({
      settings: readWarmUpSettings(standIn.url, settings),
      log: silentLog,
      build: { id: 'warm-up', keys: new Map() },
      startControl: async () => fixedControl(),
    })
    await sendRequests(gateway.url, standIn.token, signal).finally(() => gateway.close(0))
  } finally {
    standIn.close()
  }
}

/**
 * Serves requests in a separate gateway, so that V8 has compiled the code before the first client arrives. The only
 * part of production that the requests reach is the database, where they look for a row that does not exist. They are
 * neither logged nor counted. Resolves within three seconds to whether they were all served.
 */
export const warmUp = async (settings: DatabaseSettings): Promise<boolean> => {
  const timeout = new AbortController()
  const work = serveRequests(settings, timeout.signal).then(
    () => true,
    () => false,
  )
  return withTimeout(maxMs, work, () => {
    timeout.abort()
    return false
  })
}
