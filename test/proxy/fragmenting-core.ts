import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'

/** Returns uniformly distributed numbers from 0 to 1. They decide what a response contains and where it is split. */
type Random = () => number

/** Creates a body that repeats the request's id, so that every part of it shows which request it belongs to. */
export const bodyOf = (id: string, size: number) => Buffer.alloc(size, `<${id}>`)

// Mostly identity, because otherwise gzip would take up most of a test's time.
const encodings = ['identity', 'identity', 'identity', 'identity', 'gzip', 'stored-gzip'] as const

type Encoding = (typeof encodings)[number]

export const pickEncoding = (random: Random): Encoding =>
  encodings[Math.floor(random() * encodings.length)] ?? 'identity'

const encode = (body: Buffer, encoding: string) =>
  encoding === 'identity' ? body : gzipSync(body, { level: encoding === 'gzip' ? 1 : 0 })

const splitAt = (bytes: Buffer, nextLength: () => number) => {
  const parts: Buffer[] = []
  for (let from = 0; from < bytes.length; ) {
    const length = Math.ceil(nextLength())
    parts.push(bytes.subarray(from, from + length))
    from += length
  }
  return parts
}

const chunk = (body: Buffer, random: Random) => {
  const parts = splitAt(body, () => 1 + random() * body.length)
  const framed = parts.flatMap((part) => [`${part.length.toString(16)}\r\n`, part, '\r\n'])
  return Buffer.concat([...framed, '0\r\n\r\n'].map((part) => Buffer.from(part)))
}

const createMessage = (body: Buffer, encoding: string, random: Random) => {
  const coding = encoding === 'identity' ? '' : 'Content-Encoding: gzip\r\n'
  const isChunked = random() < 0.5
  const framing = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`
  const head = Buffer.from(`HTTP/1.1 200 OK\r\n${coding}${framing}\r\n\r\n`)
  return Buffer.concat([head, isChunked ? chunk(body, random) : body])
}

const writeFragments = (socket: Socket, message: Buffer, random: Random) => {
  const longest = random() < 0.3 ? message.length : message.length / 4
  const fragments = splitAt(message, () => 1 + random() * longest)
  const writeNext = () => {
    const next = fragments.shift()
    if (!next || socket.destroyed) return
    socket.write(next)
    if (random() < 0.5) setImmediate(writeNext)
    else writeNext()
  }
  writeNext()
}

/** Starts a core that responds to `/<id>/<size>/<encoding>` with `bodyOf(id, size)`, in random chunks and fragments. */
export const startFragmentingCore = async (random: Random) => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    let received = ''
    sockets.add(socket)
    socket.setNoDelay()
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
      if (!received.endsWith('\r\n\r\n')) return
      const [, id = '', size = '', encoding = ''] = received.slice(0, received.indexOf(' HTTP/')).split('/')
      received = ''
      writeFragments(
        socket,
        createMessage(encode(bodyOf(id, Number(size)), encoding), encoding, random),
        random,
      )
    })
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}
