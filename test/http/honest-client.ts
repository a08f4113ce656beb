import { Agent, request } from 'node:http'

/** One request of an honest client, and the runtime that must serve it. */
interface HonestRequest {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly runtime: 'native' | 'proxy'
  readonly status: number
  readonly body?: string | Buffer
  /** Sends the body without a declared length. */
  readonly isChunked?: boolean
}

const upload = Buffer.alloc(1_500_000, 'u')
const createLibrary = () => JSON.stringify({ name: `Library ${crypto.randomUUID()}` })

const requests = (): readonly HonestRequest[] => [
  { name: 'page', method: 'GET', path: '/healthz', runtime: 'native', status: 200 },
  { name: 'readiness', method: 'GET', path: '/readyz', runtime: 'native', status: 200 },
  { name: 'native read', method: 'GET', path: '/v1/libraries', runtime: 'native', status: 200 },
  {
    name: 'native write',
    method: 'POST',
    path: '/v1/libraries',
    runtime: 'native',
    status: 201,
    body: createLibrary(),
  },
  { name: 'forwarded read', method: 'GET', path: '/v1/packs', runtime: 'proxy', status: 200 },
  {
    name: "read of the slow readers' route",
    method: 'GET',
    path: '/v1/tracks',
    runtime: 'proxy',
    status: 200,
  },
  { name: 'unmatched path', method: 'GET', path: '/v1/probe', runtime: 'proxy', status: 200 },
  {
    name: 'forwarded write',
    method: 'POST',
    path: '/v1/packs',
    runtime: 'proxy',
    status: 200,
    body: '{"name":"Tides"}',
  },
  {
    name: 'forwarded write in chunks',
    method: 'POST',
    path: '/v1/packs',
    runtime: 'proxy',
    status: 200,
    body: 'x'.repeat(100),
    isChunked: true,
  },
  { name: 'upload', method: 'POST', path: '/v1/packs', runtime: 'proxy', status: 200, body: upload },
  {
    name: 'upload in chunks',
    method: 'POST',
    path: '/v1/packs',
    runtime: 'proxy',
    status: 200,
    body: upload,
    isChunked: true,
  },
]

interface HonestClientOptions {
  readonly port: number
  readonly token: string
  readonly localAddress: string
  readonly timeoutMs: number
}

export const sendEveryKind = async ({ port, token, localAddress, timeoutMs }: HonestClientOptions) => {
  const agent = new Agent({ keepAlive: false })
  const send = ({ name, method, path, runtime, status, body, isChunked }: HonestRequest) =>
    new Promise<string | null>((resolve) => {
      const length = body === undefined || isChunked ? {} : { 'content-length': Buffer.byteLength(body) }
      const sent = request(
        {
          host: '127.0.0.1',
          port,
          localAddress,
          agent,
          method,
          path,
          headers: { authorization: `Bearer ${token}`, ...length },
          signal: AbortSignal.timeout(timeoutMs),
        },
        (response) => {
          const served = `${response.statusCode} ${response.headers['x-service-core-runtime']}`
          response
            .resume()
            .once('end', () => resolve(served === `${status} ${runtime}` ? null : `${name}: ${served}`))
        },
      )
      sent.once('error', (error) => resolve(`${name}: ${error.message}`))
      sent.end(body)
    })
  const startedAt = performance.now()
  const durationsMs: number[] = []
  const sendTimed = async (each: HonestRequest) => {
    const failure = await send(each)
    durationsMs.push(performance.now() - startedAt)
    return failure
  }
  const failures = await Promise.all(requests().map(sendTimed))
  agent.destroy()
  return { failures: failures.filter((failure) => failure !== null), durationsMs }
}
