import type { Server } from 'node:http'

/** Binds a server to loopback and answers its address, with the port the system chose when `port` is 0. */
export const listenOnLoopback = (server: Server, port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      const address = server.address()
      if (address === null || typeof address === 'string')
        return reject(new Error('no TCP address was bound'))
      resolve(`http://127.0.0.1:${address.port}`)
    })
  })

/** Stops accepting and drops what is still connected. */
export const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()))
    server.closeAllConnections()
  })
