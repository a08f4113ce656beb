import { createServer, type Socket } from 'node:net'

/** A request as the raw core received it: the bytes of its head and, once it is complete, of its body. */
export interface ReceivedRequest {
  readonly head: string
  readonly method: string
  readonly target: string
  /** Names and values as received, including order, case and repetitions. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly connection: number
  /** Resolves with the body, decoded if it is chunked; rejects if the connection ends inside the body. */
  readonly body: Promise<Buffer>
}

export type Reply = (socket: Socket, request: ReceivedRequest) => void

export interface RawCore {
  readonly port: number
  readonly url: string
  readonly requests: ReceivedRequest[]
  /** All bytes received on each connection, in the order of the connections. */
  readonly received: Buffer[]
  readonly openConnections: () => number
  /** One reply for each of the next requests. After these, `reply` responds to every request. */
  readonly nextReplies: Reply[]
  close(): Promise<void>
}

const parseHead = (head: string) => {
  const [start = '', ...lines] = head.split('\r\n')
  const [method = '', target = ''] = start.split(' ')
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const
  })
  return { method, target, headers }
}

const findHeader = (headers: ReceivedRequest['headers'], wanted: string) =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1]

/** Returns the content of the chunked body, and the offset at which it ends; null while the body is incomplete. */
const unchunk = (replyWithBytes: Buffer) => {
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const line = replyWithBytes.indexOf('\r\n', at)
    if (line === -1) return null
    const size = Number.parseInt(replyWithBytes.toString('latin1', at, line), 16)
    if (size === 0)
      return replyWithBytes.length >= line + 4 ? { body: Buffer.concat(parts), end: line + 4 } : null
    if (replyWithBytes.length < line + 2 + size + 2) return null
    parts.push(replyWithBytes.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
}

const parseBody = (bytes: Buffer, headers: ReceivedRequest['headers']) => {
  if (findHeader(headers, 'transfer-encoding') !== undefined) return unchunk(bytes)
  const length = Number(findHeader(headers, 'content-length') ?? 0)
  return bytes.length >= length ? { body: bytes.subarray(0, length), end: length } : null
}

export const replyOk: Reply = (socket, { method }) => {
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n${method === 'HEAD' ? '' : 'ok'}`)
}

/** A reply of exactly these bytes; the connection stays open. */
export const bytes =
  (text: string): Reply =>
  (socket) => {
    socket.write(Buffer.from(text, 'latin1'))
  }

export const startRawCore = async (reply: Reply = replyOk): Promise<RawCore> => {
  const requests: ReceivedRequest[] = []
  const received: Buffer[] = []
  const next: Reply[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const connection = received.push(Buffer.alloc(0)) - 1
    let pending = Buffer.alloc(0)
    let current: { headers: ReceivedRequest['headers']; pendingBody: PromiseWithResolvers<Buffer> } | null =
      null
    sockets.add(socket)

    const readBody = ({ headers, pendingBody }: NonNullable<typeof current>) => {
      const found = parseBody(pending, headers)
      if (!found) return false
      pending = pending.subarray(found.end)
      current = null
      pendingBody.resolve(found.body)
      return true
    }

    const readHead = () => {
      const end = pending.indexOf('\r\n\r\n')
      if (end === -1) return false
      const head = pending.toString('latin1', 0, end)
      pending = pending.subarray(end + 4)
      const pendingBody = Promise.withResolvers<Buffer>()
      pendingBody.promise.catch(() => {})
      const request = { head, ...parseHead(head), connection, body: pendingBody.promise }
      current = { headers: request.headers, pendingBody }
      requests.push(request)
      const currentReply = next.shift() ?? reply
      currentReply(socket, request)
      return true
    }

    socket.on('data', (chunk: Buffer) => {
      received[connection] = Buffer.concat([received[connection] ?? Buffer.alloc(0), chunk])
      pending = Buffer.concat([pending, chunk])
      while (current ? readBody(current) : readHead());
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      current?.pendingBody.reject(new Error('the connection ended inside the body'))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    requests,
    received,
    nextReplies: next,
    openConnections: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
