import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'

/**
 * How the core fails a write: it ends the connection before it reads the request, after it applies the write, or in the
 * middle of its response; or it applies the write and responds with an error.
 */
export type CoreFault = 'cut-before' | 'cut-after' | 'cut-inside' | 'error'

const isNamed = (body: unknown): body is { readonly name: string } =>
  typeof body === 'object' && body !== null && 'name' in body

/** Starts a core that counts how often it has applied each write, identified by the name in its body. */
export const startWriteCore = async (drawFault: () => CoreFault | null) => {
  const applied = new Map<string, number>()

  const respond = (fault: CoreFault | null, response: ServerResponse) => {
    if (fault === null) return response.end('ok')
    if (fault === 'cut-after') return response.socket?.destroy()
    if (fault === 'error') return response.writeHead(503).end()
    response.writeHead(200, { 'content-length': 2 })
    response.write('o', () => response.socket?.destroy())
  }

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const fault = drawFault()
    if (fault === 'cut-before') return request.socket.destroy()
    const body = await json(request)
    if (!isNamed(body)) throw new Error('expected the body of a library')
    applied.set(body.name, (applied.get(body.name) ?? 0) + 1)
    respond(fault, response)
  }

  const server = createServer((request, response) => {
    // If the gateway ends the connection in the middle of a request, the write is incomplete and is not applied.
    serve(request, response).catch(() => request.socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    applied: applied as ReadonlyMap<string, number>,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  }
}
