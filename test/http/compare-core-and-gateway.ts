import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { startTokenIssuer } from '#dev/sandbox/token-issuer.ts'
import { startServer } from '#dev/start/start-child.ts'
import { createTestDatabase } from '#test/support/database.ts'
import { type RawResponse, sendRaw } from '#test/support/raw-client.ts'
import { unreachableStorage } from '#test/support/storage.ts'
import { startScriptedCore } from './scripted-core.ts'

// Runs the gateway in a separate process, so that its memory and open files can be measured.
const open = async (settings: Readonly<Record<string, string>>) => {
  const stateDir = await mkdtemp(join(tmpdir(), 'crossfade-transparency-'))
  const [core, database, issuer] = await Promise.all([
    startScriptedCore(),
    createTestDatabase(),
    startTokenIssuer({ stateDir }),
  ])
  const gateway = await startServer('the gateway', new URL(import.meta.resolve('#bin/server.ts')), {
    HOST: '127.0.0.1',
    PUBLIC_BASE_URL: 'https://api.example',
    DRAIN_MS: '500',
    PORT: '0',
    ADMIN_PORT: '0',
    LOG_LEVEL: 'error',
    DATABASE_URL: database.url,
    CORE_BASE_URL: core.url,
    AUTH_ISSUER: issuer.issuer,
    AUTH_AUDIENCE: issuer.audience,
    AUTH_JWKS_URL: issuer.jwksUrl,
    GATEWAY_SECRET: 'gateway-secret-of-the-tests',
    ...unreachableStorage,
    ...settings,
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

/** Polls often. The long timeout allows for a busy machine. */
export const pollOptions = { interval: 5, timeout: 10_000 }

export const startComparison = (settings: Readonly<Record<string, string>> = {}) => {
  let opened: Awaited<ReturnType<typeof open>> | undefined
  beforeAll(async () => {
    opened = await open(settings)
  })
  afterAll(async () => {
    await opened?.close()
  })
  const running = () => {
    if (!opened) throw new Error('the gateway is not started yet')
    return opened
  }
  return {
    get core() {
      return running().core
    },
    get corePort() {
      return running().core.port
    },
    get gatewayPort() {
      return running().port
    },
    get gatewayPid() {
      return running().gateway.pid
    },
  }
}

type PathComparison = ReturnType<typeof startComparison>

// Hop-by-hop headers (RFC 9110, section 7.6.1) may differ.
const hopByHopNames = ['connection', 'keep-alive', 'transfer-encoding']
// The gateway adds these headers to every response.
const gatewayNames = [
  'x-service-core-runtime',
  'x-service-native-route',
  'x-service-proxy-fallback',
  'x-request-id',
]
// The gateway adds this header if the core sends no Cache-Control.
const addedCacheControl = ['cache-control', 'no-store']

const omitHeaders = (headers: RawResponse['headers'], names: readonly string[]) =>
  headers.filter(([name]) => !names.includes(name.toLowerCase()))

/** Selects what must be equal, including the order and spelling of headers. */
const selectComparable = ({ status, headers, body, complete, header }: RawResponse) => ({
  status,
  headers: omitHeaders(headers, hopByHopNames),
  transferEncoding: header('transfer-encoding'),
  body,
  complete,
})

const omitGatewayHeaders = (response: RawResponse, coreResponse: RawResponse): RawResponse => {
  expect(response.header('x-service-core-runtime')).toBe('proxy')
  const rest = omitHeaders(response.headers, gatewayNames)
  const hasCacheControl = coreResponse.header('cache-control') !== undefined
  return {
    ...response,
    headers: hasCacheControl
      ? rest
      : rest.filter(([name, value]) => name !== addedCacheControl[0] || value !== addedCacheControl[1]),
  }
}

export const expectSame = (coreResponse: RawResponse, gatewayResponse: RawResponse) => {
  expect(selectComparable(omitGatewayHeaders(gatewayResponse, coreResponse))).toEqual(
    selectComparable(coreResponse),
  )
}

/** Sends the same bytes to the core and the gateway, expects equal responses, and returns the core's. */
export const expectSameResponse = async (comparison: PathComparison, message: string, method = 'GET') => {
  const coreResponse = await sendRaw(comparison.corePort, message, method)
  const gatewayResponse = await sendRaw(comparison.gatewayPort, message, method)
  expectSame(coreResponse, gatewayResponse)
  return coreResponse
}
