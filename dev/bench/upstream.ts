import { createServer } from 'node:net'
import { listenOnLoopback } from './listen-on-loopback.ts'
import { smallBytes } from './upstream-responses.ts'

const keepAliveS = Number(process.env.KEEP_ALIVE_S ?? 0)

const head = [
  'HTTP/1.1 200 OK',
  'Content-Type: application/json',
  `Content-Length: ${smallBytes}`,
  'ETag: "1c9-a5b2"',
  'Vary: Accept',
  'Date: Thu, 01 Jan 2026 00:00:00 GMT',
  ...(keepAliveS > 0 ? [`Keep-Alive: timeout=${keepAliveS}`] : []),
  '\r\n',
].join('\r\n')
const response = Buffer.from(head + JSON.stringify({ note: ''.padEnd(smallBytes - 11, 'x') }))

// Answers each request head with prepared bytes, so that the upstream itself takes little CPU time.
const server = createServer({ noDelay: true }, (socket) => {
  let pending = ''
  socket.setTimeout(keepAliveS * 1000, () => socket.destroy())
  socket.on('data', (bytes) => {
    pending += bytes.toString('latin1')
    const end = pending.indexOf('\r\n\r\n')
    if (end === -1) return
    const request = pending.slice(0, end)
    pending = pending.slice(end + 4)
    socket.write(response)
    if (/^connection: close$/im.test(request)) socket.end()
  })
  socket.on('error', () => socket.destroy())
})

listenOnLoopback(server)
