import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { type RunningGateway, startGateway } from '#gateway/node/start-gateway.ts'
import { comparedRoutes } from '#gateway/start/compared-routes.ts'
import { readCoreSettings } from '#sandbox/core/settings.ts'
import { startSandboxCore } from '#sandbox/core/start-core.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

/** A request on its way to a gateway; without a label where it is to no route. */
export interface PassingRequest {
  readonly label: Label | undefined
  readonly method: string
  readonly path: string
  readonly text: string
}

/** An answer on its way to a client, as text where it has a body. */
export interface PassingAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** What is made of an exchange: of the request before it is performed, and of its answer; `hang-up` is none at all. */
export interface Tampering {
  readonly request?: (request: PassingRequest) => PassingRequest
  readonly answer?: (answer: PassingAnswer, request: PassingRequest) => PassingAnswer | 'hang-up'
}

const hopByHop = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'content-encoding']

// A path with fewer parameters is the more precise one.
const routes = labels
  .map((label) => ({ label, ...rowOf(label) }))
  .map(({ label, method, path }) => ({
    label,
    method,
    parameters: path.split(':').length,
    pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}(\\?|$)`),
  }))
  .sort((a, b) => a.parameters - b.parameters)

const arrived = async (request: IncomingMessage): Promise<PassingRequest> => {
  const { method = 'GET', url: path = '/' } = request
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const route = routes.find((each) => each.method === method && each.pattern.test(path))
  return { label: route?.label, method, path, text: Buffer.concat(chunks).toString() }
}

const passedOn = (headers: Iterable<readonly [string, string]>) =>
  Object.fromEntries([...headers].filter(([name]) => !hopByHop.includes(name)))

/** Stands in front of a gateway and tampers with what passes. */
export const startTampering = async (origin: string, tampering: Tampering) => {
  const pass = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await arrived(incoming)
    const { method, path, text } = tampering.request?.(request) ?? request
    const given = await fetch(origin + path, {
      method,
      headers: { authorization: incoming.headers.authorization ?? '' },
      redirect: 'manual',
      ...(text === '' ? {} : { body: text }),
    })
    const passing = { status: given.status, headers: passedOn(given.headers), text: await given.text() }
    const answer = tampering.answer?.(passing, request) ?? passing
    if (answer === 'hang-up') return response.destroy()
    return response.writeHead(answer.status, answer.headers).end(answer.text)
  }
  const server = createServer((incoming, response) => {
    pass(incoming, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { origin: `http://127.0.0.1:${port}`, close }
}

/** Two gateways on one database: one that serves natively and one that leaves every shared route to the core. */
export const startTwoSides = () => {
  const native = startTestGateway({
    core: 'sandbox',
    billing: true,
    // By whatever address a side is reached, it tells this one.
    environment: { PUBLIC_BASE_URL: 'http://gateway.test', RATE_LIMIT_PUBLIC_READS: '20/60' },
  })
  let core: RunningGateway | undefined
  let service: Awaited<ReturnType<typeof startSandboxCore>> | undefined
  beforeAll(async () => {
    // It knows all that the gateway knows: the plans, the provider of billing, the store.
    service = await startSandboxCore(readCoreSettings(native.environment))
    const given = { CORE_BASE_URL: service.url, GATEWAY_KILL: [...comparedRoutes().keys()] }
    core = await startGateway({ settings: { ...native.settings, ...given }, log: createRecordingLog() })
  })
  afterAll(async () => {
    await core?.close()
    await service?.close()
  })
  return {
    gateway: native,
    get native() {
      return native.url
    },
    get core() {
      return core?.url ?? ''
    },
    /** The core as it is, without a gateway in front. */
    get plainCore() {
      return service?.url ?? ''
    },
  }
}
