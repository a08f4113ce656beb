import { createServer, type Socket } from 'node:net'
import { listenOnLoopback } from './listen-on-loopback.ts'
import { largeBytes, smallBytes } from './upstream-responses.ts'

const keepAliveS = Number(process.env.KEEP_ALIVE_S ?? 0)

const formatHead = (type: string, length: number) =>
  [
    'HTTP/1.1 200 OK',
    `Content-Type: ${type}`,
    `Content-Length: ${length}`,
    'ETag: "1c9-a5b2"',
    'Vary: Accept',
    'Date: Thu, 01 Jan 2026 00:00:00 GMT',
    ...(keepAliveS > 0 ? [`Keep-Alive: timeout=${keepAliveS}`] : []),
    '\r\n',
  ].join('\r\n')

const small = Buffer.from(
  formatHead('application/json', smallBytes) + JSON.stringify({ note: ''.padEnd(smallBytes - 11, 'x') }),
)
const largeHead = Buffer.from(formatHead('application/octet-stream', largeBytes))
const piece = Buffer.alloc(262_144, 'x')

const writeLarge = (socket: Socket, whenDone: () => void) => {
  let left = largeBytes
  const writeNext = () => {
    while (left > 0 && !socket.destroyed) {
      left -= piece.length
      if (!socket.write(piece)) return socket.once('drain', writeNext)
    }
    whenDone()
  }
  socket.write(largeHead)
  writeNext()
}

// Answers each request head with prepared bytes, so that the upstream itself takes little CPU time.
const server = createServer({ noDelay: true }, (socket) => {
  let pending = ''
  socket.setTimeout(keepAliveS * 1000, () => socket.destroy())
  socket.on('data', (bytes) => {
    pending += bytes.toString('latin1')
    const end = pending.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = pending.slice(0, end)
    pending = pending.slice(end + 4)
    const whenDone = () => {
      if (/^connection: close$/im.test(head)) socket.end()
    }
    if (/^GET \S*\/large\b/.test(head)) return writeLarge(socket, whenDone)
    socket.write(small)
    whenDone()
  })
  socket.on('error', () => socket.destroy())
})

listenOnLoopback(server)
