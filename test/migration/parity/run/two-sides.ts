import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'
import { startGateway } from '#bin/start-gateway.ts'
import type { Label } from '#contracts/route-table.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { startSandboxCore } from '#dev/sandbox/core/start-core.ts'
import type { RunningGateway } from '#gateway/node/start-node-gateway.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

export interface ProxiedRequest {
  readonly label: Label | undefined
  readonly method: string
  readonly path: string
  readonly text: string
}

export interface ProxiedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Changes a request before it is sent, and a response before it is returned. `hang-up` closes the connection. */
export interface Tampering {
  readonly request?: (request: ProxiedRequest) => ProxiedRequest
  readonly response?: (response: ProxiedResponse, request: ProxiedRequest) => ProxiedResponse | 'hang-up'
}

const hopByHop = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'content-encoding']

// If several paths match, the one with the fewest parameters is the most specific, so it comes first.
const routes = labels
  .map((label) => ({ label, ...rowOf(label) }))
  .map(({ label, method, path }) => ({
    label,
    method,
    parameters: path.split(':').length,
    pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}(\\?|$)`),
  }))
  .sort((a, b) => a.parameters - b.parameters)

const readRequest = async (request: IncomingMessage): Promise<ProxiedRequest> => {
  const { method = 'GET', url: path = '/' } = request
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const route = routes.find((each) => each.method === method && each.pattern.test(path))
  return { label: route?.label, method, path, text: Buffer.concat(chunks).toString() }
}

const withoutHopByHop = (headers: Iterable<readonly [string, string]>) =>
  Object.fromEntries([...headers].filter(([name]) => !hopByHop.includes(name)))

export const startTampering = async (origin: string, tampering: Tampering) => {
  const forward = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const request = await readRequest(incoming)
    const { method, path, text } = tampering.request?.(request) ?? request
    const response = await fetch(origin + path, {
      method,
      headers: { authorization: incoming.headers.authorization ?? '' },
      redirect: 'manual',
      ...(text === '' ? {} : { body: text }),
    })
    const original = {
      status: response.status,
      headers: withoutHopByHop(response.headers),
      text: await response.text(),
    }
    const changed = tampering.response?.(original, request) ?? original
    if (changed === 'hang-up') return outgoing.destroy()
    return outgoing.writeHead(changed.status, changed.headers).end(changed.text)
  }
  const server = createServer((incoming, outgoing) => {
    forward(incoming, outgoing).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { origin: `http://127.0.0.1:${port}`, close }
}

const allProxied = { scope: '*', stage: 'proxy', weightBp: 0 } as const

/** Starts two gateways on one database. One serves natively; the other forwards every compared route to the core. */
export const startBothSides = ({ storage = false }: { readonly storage?: boolean } = {}) => {
  const native = startTestGateway({
    core: 'sandbox',
    billing: true,
    storage,
    // Makes both sides write the same base URL into their responses.
    environment: {
      PUBLIC_BASE_URL: 'http://gateway.test',
      RATE_LIMIT_PUBLIC_READS: '20/60',
      GATEWAY_ROUTES: '*=native',
    },
  })
  let core: RunningGateway | undefined
  let coreServer: Awaited<ReturnType<typeof startSandboxCore>> | undefined
  beforeAll(async () => {
    // The core uses the gateway's environment, and so the same plans, billing provider and object store.
    coreServer = await startSandboxCore(native.environment)
    const overrides = { CORE_BASE_URL: [coreServer.url], GATEWAY_ROUTES: [allProxied] }
    core = await startGateway({ settings: { ...native.settings, ...overrides }, log: createRecordingLog() })
  })
  afterAll(async () => {
    await core?.close()
    await coreServer?.close()
  })
  return {
    gateway: native,
    get native() {
      return native.url
    },
    get core() {
      return core?.url ?? ''
    },
    get plainCore() {
      return coreServer?.url ?? ''
    },
  }
}
