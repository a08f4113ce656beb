import type { Server } from 'node:http'

/** Binds a server to loopback and returns its base URL. The system chooses the port when `port` is 0. */
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

/** Stops accepting connections and closes the open ones. */
export const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()))
    server.closeAllConnections()
  })
