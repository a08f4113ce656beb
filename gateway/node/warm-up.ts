import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, createServer, type Server as NetServer, type Socket } from 'node:net'
import type { UndiciTransport } from '#proxy/undici/transport-undici.ts'
import { withTimeout } from '#shared/with-timeout.ts'
import type { VerifiedToken } from '../request/context.ts'

/** While `transport` is set, each request that arrives belongs to the warm-up and is forwarded with it. */
export interface WarmUpState {
  transport: UndiciTransport | null
}

/** Set by the listener on the requests of a warm-up, so that they need no token from the issuer. */
export const warmUpToken: VerifiedToken = {
  actor: { accountId: 'acct_none', email: null, emailVerified: false },
  isExpired: () => false,
}

const host = '127.0.0.1'
const maxMs = 3000
const maxCloseMs = 1000
const requestsPerPath = 50
/** A path that is not in the route table, a list, and a library that does not exist. */
const paths = ['/v1/none', '/v1/tracks', '/v1/libraries/lib_none']
const coreResponse = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}'

const listen = async (server: NetServer) => {
  await once(server.listen(0, host), 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP port')
  return address.port
}

const sendRequests = async (client: Socket) => {
  for (let sent = 0; sent < requestsPerPath; sent++)
    for (const path of paths) {
      client.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\naccept: application/json\r\n\r\n`)
      await once(client, 'data')
    }
}

/**
 * Passes requests to a server that does not listen yet, so V8 compiles what serves requests and the database prepares
 * its statements. A stand-in serves as the core. Never rejects, and gives up after three seconds.
 *
 * V8 must see nothing here that it does not see later, so the requests go to the gateway itself, and client and core
 * are bare sockets. With a second gateway, Node's HTTP client and its HTTP server instead, the gateway served 7 to 10 %
 * fewer requests per CPU second from then on (dev/bench/results/latency.md).
 */
export const warmUp = async (
  server: Server,
  state: WarmUpState,
  connectTo: (coreUrl: string) => UndiciTransport,
): Promise<void> => {
  const sockets = new Set<Socket>()
  const track = (socket: Socket) => sockets.add(socket.on('error', () => {}))
  let client: Socket | undefined
  // Node's HTTP servers allow half-open connections too.
  const entrance = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    track(socket)
    // Requests of a warm-up need no token, so no other process may send any.
    if (socket.remotePort === client?.localPort) server.emit('connection', socket)
    else socket.destroy()
  })
  const core = createServer((socket) => {
    track(socket)
    socket.on('data', () => socket.write(coreResponse))
  })
  try {
    const corePort = await listen(core)
    const entrancePort = await listen(entrance)
    state.transport = connectTo(`http://${host}:${corePort}`)
    client = connect(entrancePort, host)
    track(client)
    await withTimeout(maxMs, sendRequests(client), () => {})
  } catch {
    // The gateway starts without a warm-up.
  }
  for (const socket of sockets) socket.destroy()
  entrance.close()
  core.close()
  const { transport } = state
  state.transport = null
  if (transport) await withTimeout(maxCloseMs, transport.close(), () => {}).catch(() => {})
}
