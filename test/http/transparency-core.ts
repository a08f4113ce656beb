import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type Script = (outgoing: ServerResponse, incoming: IncomingMessage) => void

/** An exchange as the core sees it, while it lasts and after it. */
export interface CoreRequest {
  readonly method: string
  readonly target: string
  /** Names and values in turn, as they came. */
  readonly headers: readonly string[]
  bytes: number
  /** SHA-256 of the body so far. */
  digest(): string
  /** `answered`: the whole response went out; `cut off`: the connection ended before that. */
  fate: 'open' | 'answered' | 'cut off'
}

interface ScriptedCore {
  readonly port: number
  readonly url: string
  /** Gives the script an address of its own, as a target of requests. */
  play(script: Script): string
  /** What came for a target, in the order of arrival. */
  requestsAt(target: string): readonly CoreRequest[]
  openRequests(): number
  openConnections(): number
  close(): Promise<void>
}

const date = ['Date', 'Thu, 01 Jan 2026 00:00:00 GMT']

/** Begins a response whose headers are these and no others but those of the connection. */
export const begin = (outgoing: ServerResponse, status: number, ...headers: readonly string[]) => {
  outgoing.sendDate = false
  outgoing.writeHead(status, [...date, ...headers])
  // Not `flushHeaders`, which writes a head as UTF-8.
  outgoing.write('', 'latin1')
}

/** A response of these pieces, in chunks where the headers name no length. */
export const reply =
  (status: number, headers: readonly string[], ...pieces: readonly (string | Buffer)[]): Script =>
  (outgoing) => {
    begin(outgoing, status, ...headers)
    for (const piece of pieces) outgoing.write(piece)
    outgoing.end()
  }

const watch = (incoming: IncomingMessage, outgoing: ServerResponse): CoreRequest => {
  const { method = '', url = '', rawHeaders } = incoming
  const hash = createHash('sha256')
  const digest = () => hash.copy().digest('hex')
  const exchange: CoreRequest = { method, target: url, headers: rawHeaders, bytes: 0, digest, fate: 'open' }
  incoming.on('data', (chunk: Buffer) => {
    exchange.bytes += chunk.length
    hash.update(chunk)
  })
  outgoing.on('close', () => {
    exchange.fate = outgoing.writableFinished ? 'answered' : 'cut off'
  })
  return exchange
}

/** A core that answers each target by the script of a test, and remembers what it was asked. */
export const startScriptedCore = async (): Promise<ScriptedCore> => {
  const scripts: Script[] = []
  const exchanges: CoreRequest[][] = []
  const sockets = new Set<Socket>()
  const indexOf = (target: string) => Number(/^\/v1\/scripts\/(\d+)/.exec(target)?.[1])

  const server = createServer((incoming, outgoing) => {
    const index = indexOf(incoming.url ?? '')
    exchanges[index]?.push(watch(incoming, outgoing))
    const play = scripts[index] ?? reply(404, [])
    play(outgoing, incoming)
  })
  server.requestTimeout = 0
  // Longer than any test: an idle connection is the gateway's to close.
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
    play(script) {
      exchanges.push([])
      return `/v1/scripts/${scripts.push(script) - 1}`
    },
    requestsAt: (target) => exchanges[indexOf(target)] ?? [],
    openRequests: () => exchanges.flat().filter(({ fate }) => fate === 'open').length,
    openConnections: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
