import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A TCP relay to the database. `cut` closes it and all its connections; `reopen` opens it again on the same port. */
export const startRelay = async (databaseUrl: string) => {
  const database = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const server = createServer((inbound) => {
    const outbound = connect(Number(database.port), database.hostname)
    for (const [from, to] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy()).on('close', () => to.destroy())
      from.pipe(to)
    }
  })
  const open = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    return typeof address === 'object' && address ? address.port : 0
  }
  const cut = async () => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
    server.close()
    await once(server, 'close')
  }
  const port = await open(0)
  const url = new URL(databaseUrl)
  url.port = String(port)
  return { url: url.href, cut, reopen: () => open(port) }
}
