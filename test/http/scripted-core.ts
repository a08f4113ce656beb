import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type Script = (outgoing: ServerResponse, incoming: IncomingMessage) => void

export interface CoreRequest {
  readonly method: string
  readonly target: string
  /** Alternating names and values, as they arrived. */
  readonly headers: readonly string[]
  bytes: number
  /** SHA-256 of the body so far. */
  digest(): string
  /** `completed`: the whole response was sent; `cut off`: the connection ended before that. */
  state: 'open' | 'completed' | 'cut off'
}

interface ScriptedCore {
  readonly port: number
  readonly url: string
  addScript(script: Script): string
  requestsAt(target: string): readonly CoreRequest[]
  openRequests(): number
  openConnections(): number
  close(): Promise<void>
}

const date = ['Date', 'Thu, 01 Jan 2026 00:00:00 GMT']

/** Starts a response with exactly these headers, plus `Date` and the connection headers. */
export const startResponse = (outgoing: ServerResponse, status: number, ...headers: readonly string[]) => {
  outgoing.sendDate = false
  outgoing.writeHead(status, [...date, ...headers])
  // `flushHeaders` would write the head as UTF-8.
  outgoing.write('', 'latin1')
}

/** A response whose body consists of these pieces. It is chunked if the headers contain no length. */
export const reply =
  (status: number, headers: readonly string[], ...pieces: readonly (string | Buffer)[]): Script =>
  (outgoing) => {
    startResponse(outgoing, status, ...headers)
    for (const piece of pieces) outgoing.write(piece)
    outgoing.end()
  }

const recordRequest = (incoming: IncomingMessage, outgoing: ServerResponse): CoreRequest => {
  const { method = '', url = '', rawHeaders } = incoming
  const hash = createHash('sha256')
  const digest = () => hash.copy().digest('hex')
  const request: CoreRequest = { method, target: url, headers: rawHeaders, bytes: 0, digest, state: 'open' }
  incoming.on('data', (chunk: Buffer) => {
    request.bytes += chunk.length
    hash.update(chunk)
  })
  outgoing.on('close', () => {
    request.state = outgoing.writableFinished ? 'completed' : 'cut off'
  })
  return request
}

export const startScriptedCore = async (): Promise<ScriptedCore> => {
  const scripts: Script[] = []
  const requests: CoreRequest[][] = []
  const sockets = new Set<Socket>()
  const indexOf = (target: string) => Number(/^\/v1\/scripts\/(\d+)/.exec(target)?.[1])

  const server = createServer((incoming, outgoing) => {
    const index = indexOf(incoming.url ?? '')
    requests[index]?.push(recordRequest(incoming, outgoing))
    const script = scripts[index] ?? reply(404, [])
    script(outgoing, incoming)
  })
  server.requestTimeout = 0
  // Longer than any test, so it is the gateway that closes idle connections.
  server.keepAliveTimeout = 60_000
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')

  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    addScript(script) {
      requests.push([])
      return `/v1/scripts/${scripts.push(script) - 1}`
    },
    requestsAt: (target) => requests[indexOf(target)] ?? [],
    openRequests: () => requests.flat().filter(({ state }) => state === 'open').length,
    openConnections: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
