import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { startServer } from '#gateway/start/start-child.ts'
import { startTokenIssuer } from '#sandbox/token-issuer.ts'
import { freshDatabase } from '#test/support/database.ts'
import { type RawResponse, sendRaw } from '#test/support/raw-client.ts'
import { noStorage } from '#test/support/storage.ts'
import { startScriptedCore } from './transparency-core.ts'

// A process of its own: its memory and its open files are the gateway's alone.
const open = async () => {
  const stateDir = await mkdtemp(join(tmpdir(), 'crossfade-transparency-'))
  const [core, database, issuer] = await Promise.all([
    startScriptedCore(),
    freshDatabase(),
    startTokenIssuer({ stateDir }),
  ])
  const gateway = await startServer('the gateway', new URL(import.meta.resolve('#gateway/server.ts')), {
    NODE_ENV: undefined,
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'error',
    DATABASE_URL: database.url,
    CORE_BASE_URL: core.url,
    AUTH_ISSUER: issuer.issuer,
    AUTH_AUDIENCE: issuer.audience,
    AUTH_JWKS_URL: issuer.jwksUrl,
    GATEWAY_SECRET: 'gateway-secret-of-the-tests',
    ...noStorage,
  })
  const close = async () => {
    await gateway.stop()
    await core.close()
    await issuer.close()
    await database.close()
    await rm(stateDir, { recursive: true, force: true })
  }
  return { core, gateway, port: Number(new URL(gateway.url).port), close }
}

/** How to poll for what happens at once, if the machine is not busy. */
export const soon = { interval: 5, timeout: 10_000 }

/** A scripted core and the two ways to it, for one test file. */
export const startBothWays = () => {
  let opened: Awaited<ReturnType<typeof open>> | undefined
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(async () => {
    await opened?.close()
  })
  const now = () => {
    if (!opened) throw new Error('the gateway is not started yet')
    return opened
  }
  return {
    get core() {
      return now().core
    },
    /** The port of the core. */
    get direct() {
      return now().core.port
    },
    /** The port of the gateway in front of it. */
    get through() {
      return now().port
    },
    get gatewayPid() {
      return now().gateway.pid
    },
  }
}

type BothWays = ReturnType<typeof startBothWays>

// Everything that may differ in a response. The two of the connection, and how chunks are announced among the other
// headers, belong to each hop (RFC 9110, section 7.6.1); the rest is what the gateway says of its own.
const ofEachHop = ['connection', 'keep-alive', 'transfer-encoding']
const ofTheGateway = [
  'x-service-core-runtime',
  'x-service-native-route',
  'x-service-proxy-fallback',
  'x-request-id',
]
const defaultOfTheGateway = ['cache-control', 'no-store']

const without = (headers: RawResponse['headers'], names: readonly string[]) =>
  headers.filter(([name]) => !names.includes(name.toLowerCase()))

/** What must be the same both ways, in the order and spelling in which it came. */
const comparable = ({ status, headers, body, complete, header }: RawResponse) => ({
  status,
  headers: without(headers, ofEachHop),
  transferEncoding: header('transfer-encoding'),
  body,
  complete,
})

/** A response of the gateway without what only the gateway says. */
const withoutOwnHeaders = (response: RawResponse, direct: RawResponse): RawResponse => {
  expect(response.header('x-service-core-runtime')).toBe('proxy')
  const kept = without(response.headers, ofTheGateway)
  const saysCacheControl = direct.header('cache-control') !== undefined
  return {
    ...response,
    headers: saysCacheControl ? kept : kept.filter((header) => `${header}` !== `${defaultOfTheGateway}`),
  }
}

/** The answers of the core and of the gateway are the same. */
export const expectSame = (direct: RawResponse, through: RawResponse) => {
  expect(comparable(withoutOwnHeaders(through, direct))).toEqual(comparable(direct))
}

/** Sends the same bytes both ways, expects the same response, and returns that of the core. */
export const expectSameResponse = async (ways: BothWays, message: string, method = 'GET') => {
  const direct = await sendRaw(ways.direct, message, method)
  const through = await sendRaw(ways.through, message, method)
  expectSame(direct, through)
  return direct
}
