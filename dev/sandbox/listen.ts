import { createServer, type Server } from 'node:http'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'

export type SandboxApp = Hono<{ Bindings: HttpBindings }>

/** Binds a server to loopback and returns its base URL. Port 0 means any free port. */
export const listenOnLoopback = (server: Server, port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      const address = server.address()
      if (address === null || typeof address === 'string')
        return reject(new Error('the server is not bound to a TCP port'))
      resolve(`http://127.0.0.1:${address.port}`)
    })
  })

export const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()))
    server.closeAllConnections()
  })

export const createSandboxApp = (): SandboxApp => new Hono()

export const serveOnLoopback = async ({ fetch }: SandboxApp, port: number) => {
  // Keeps Node's global classes, because tests run the gateway in the same process.
  const respond = getRequestListener(fetch, { overrideGlobalObjects: false })
  // Longer than clients keep idle connections. Closing a connection just as a request arrives would look like an
  // outage.
  const server = createServer({ keepAliveTimeout: 75_000 }, respond)
  return { url: await listenOnLoopback(server, port), close: () => closeServer(server) }
}
