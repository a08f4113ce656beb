import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { get } from '#test/support/raw-client.ts'
import { head } from './wire.ts'

type Abuse = (socket: Socket, isOver: () => boolean) => unknown

const drip = async (socket: Socket, piece: string, isOver: () => boolean) => {
  while (!isOver() && socket.writable) {
    socket.write(piece)
    await sleep(1000)
  }
}

const stopReading: Abuse = (socket) => {
  socket.write(get('/v1/tracks?behave=large'))
  socket.once('data', () => socket.pause())
}

/** Ways to occupy resources that all clients share. Each uses many connections. */
const abuses: Readonly<Record<string, Abuse>> = {
  'slow bodies of a known length': (socket, isOver) => {
    socket.write(head('POST /v1/packs', 'Content-Length: 100'))
    return drip(socket, 'x', isOver)
  },
  'slow bodies of an unknown length': (socket, isOver) => {
    socket.write(head('POST /v1/packs', 'Transfer-Encoding: chunked'))
    return drip(socket, '1\r\nx\r\n', isOver)
  },
  'slow uploads': (socket, isOver) => {
    socket.write(head('POST /v1/packs', 'Content-Length: 2000000'))
    return drip(socket, 'x'.repeat(2048), isOver)
  },
  'slow readers': stopReading,
  'a hanging route': (socket) => socket.write(get('/v1/packs/held?behave=held')),
  'silent connections': () => undefined,
}

const openFrom = (localAddress: string, port: number) =>
  new Promise<Socket | null>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () => resolve(socket))
    socket.on('error', () => resolve(null))
  })

interface AbuserOptions {
  readonly port: number
  /** The number of connections for each kind of abuse, spread over the addresses. */
  readonly connections: number
  readonly addresses: readonly string[]
}

export interface Abusers {
  open(): number
  stop(): Promise<void>
}

export const startAbusers = ({ port, connections, addresses }: AbuserOptions): Abusers => {
  let isStopped = false
  const sockets = new Set<Socket>()

  const keepOpen = async (abuse: Abuse, address: string) => {
    while (!isStopped) {
      const socket = await openFrom(address, port)
      if (socket) {
        sockets.add(socket)
        const closed = new Promise((resolve) => socket.once('close', resolve))
        // While a response is unread, the socket does not notice that the connection was closed.
        if (abuse !== stopReading) socket.resume()
        socket.once('end', () => socket.destroy())
        if (isStopped) socket.resetAndDestroy()
        await Promise.all([abuse(socket, () => isStopped), closed])
        sockets.delete(socket)
      }
      if (!isStopped) await sleep(200)
    }
  }

  const running = Object.values(abuses).flatMap((abuse) =>
    Array.from({ length: connections }, (_, index) =>
      keepOpen(abuse, addresses[index % addresses.length] ?? '127.0.0.1'),
    ),
  )
  return {
    open: () => sockets.size,
    async stop() {
      isStopped = true
      for (const socket of sockets) socket.resetAndDestroy()
      await Promise.all(running)
    },
  }
}
