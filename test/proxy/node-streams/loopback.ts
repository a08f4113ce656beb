import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

const listen = async (server: Server) => {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** Starts a TCP server for one test; resolves to its port. */
export const listenTcp = (onConnection: (socket: Socket) => void) => listen(createServer(onConnection))

/** Starts a plain Node HTTP server for one test; resolves to its port. */
export const listenHttp = (onRequest: RequestListener) => listen(createHttpServer(onRequest))
