/**
 * After a connection's last response Node calls `socket.destroySoon`, even while the client is sending its body
 * (verified on Node 26.10.0). Unread bytes turn the close into a reset, which discards what the client has not read yet
 * (RFC 9112, section 9.6).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

const lingerTimeoutMs = 5000

export const lingerAfterEarlyResponse = (incoming: IncomingMessage, outgoing: ServerResponse) => {
  outgoing.once('prefinish', () => {
    const { socket } = incoming
    // Without a body, the request's stream ends before `complete` is set.
    if (incoming.complete || incoming.readableEnded || socket.destroyed) return
    const { destroySoon } = socket
    socket.destroySoon = () => socket.end()
    const timeout = setTimeout(() => socket.destroy(), lingerTimeoutMs).unref()
    incoming.once('close', () => {
      clearTimeout(timeout)
      socket.destroySoon = destroySoon
      if (socket.writableEnded) socket.destroy()
    })
    incoming.resume()
  })
}
