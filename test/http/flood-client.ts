/** The process of one flooding client. Its argument is `FloodOptions`; see floods.ts. */
import { connect } from 'node:net'
import { type FloodOptions, floods } from './floods.ts'

const options: FloodOptions = JSON.parse(process.argv[2] ?? '')
const { port, connections, localAddress } = options
const { isRead, message } = floods[options.flood]
const bytes = Buffer.from(message, 'latin1')
const responseCount = message.split('\r\n\r\n').length - 1
const startOfResponse = 'HTTP/1.1 '

let openCount = 0
let responses = 0

/** Keeps one connection busy, and opens it again when the gateway closes it. */
const flood = () => {
  const socket = connect({ port, host: '127.0.0.1', localAddress }, () => {
    openCount += 1
    if (openCount === connections) process.send?.('flooding')
    socket.write(bytes)
  })
  let unanswered = responseCount
  if (isRead)
    socket.on('data', (chunk) => {
      const found = chunk.toString('latin1').split(startOfResponse).length - 1
      responses += found
      unanswered -= found
      if (unanswered > 0) return
      unanswered += responseCount
      socket.write(bytes)
    })
  else socket.pause()
  socket.on('error', () => {})
  socket.once('end', () => socket.destroy())
  socket.once('close', () => setTimeout(flood, 200))
}

for (let index = 0; index < connections; index++) flood()
process.on('message', () => process.send?.({ responses }, () => process.exit()))
