import { createServer } from 'node:http'
import { listenOnLoopback } from './listen-on-loopback.ts'

// Accepts every batch of spans and reads none.
const server = createServer((incoming, outgoing) => {
  incoming.resume()
  incoming.once('end', () => outgoing.end())
})

listenOnLoopback(server)
