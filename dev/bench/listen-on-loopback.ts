import type { Server } from 'node:net'

export const listenOnLoopback = (server: Server) => {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    const port = address !== null && typeof address === 'object' ? address.port : 0
    process.send?.({ url: `http://127.0.0.1:${port}` })
  })
  process.on('disconnect', () => process.exit())
}
