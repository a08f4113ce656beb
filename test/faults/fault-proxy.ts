import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A relay on loopback in front of a server. It can behave like a failing network or a failing server. */
export interface FaultProxy {
  readonly host: string
  readonly url: string
  refuse(): Promise<void>
  /** Accepts connections but passes nothing on, in either direction, until `mend` is called. */
  hang(): void
  /** Passes everything on with this delay. */
  delay(ms: number): void
  /** Ends the fault: accepts connections, and passes everything on without delay, starting with what was held back. */
  mend(): Promise<void>
  close(): Promise<void>
}

const listen = async (server: Server, port: number) => {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

export const startFaultProxy = async (targetUrl: string): Promise<FaultProxy> => {
  const target = new URL(targetUrl)
  const sockets = new Set<Socket>()
  let delayMs = 0
  let passes = Promise.withResolvers<void>()
  passes.resolve()

  // Keeps the order, because each chunk waits for the one before it.
  const relay = (from: Socket, to: Socket) => {
    let passed = Promise.resolve()
    const afterOthers = (pass: () => void) => {
      passed = passed.then(async () => {
        if (delayMs > 0) await sleep(delayMs)
        await passes.promise
        pass()
      })
    }
    from.on('data', (chunk) => afterOthers(() => void to.write(chunk)))
    from.on('end', () => afterOthers(() => void to.end()))
  }

  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ port: Number(target.port), host: target.hostname, allowHalfOpen: true })
    relay(client, upstream)
    relay(upstream, client)
    const cut = () => {
      for (const socket of [client, upstream]) {
        sockets.delete(socket)
        socket.destroy()
      }
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', cut).on('close', cut)
    }
  })
  const port = await listen(server, 0)
  const refuse = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  const host = `127.0.0.1:${port}`
  return {
    host,
    url: targetUrl.replace(target.host, host),
    refuse,
    hang() {
      passes = Promise.withResolvers()
    },
    delay(ms) {
      delayMs = ms
    },
    async mend() {
      delayMs = 0
      passes.resolve()
      if (!server.listening) await listen(server, port)
    },
    async close() {
      passes.resolve()
      await refuse()
    },
  }
}
