import type { Server } from 'node:net'

/** Binds a process of the bench to loopback, tells the bench where it listens, and ends it with the bench. */
export const announce = (server: Server) => {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    const port = address !== null && typeof address === 'object' ? address.port : 0
    process.send?.({ url: `http://127.0.0.1:${port}` })
  })
  process.on('disconnect', () => process.exit())
}
