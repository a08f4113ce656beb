/**
 * Node closes a connection with `socket.destroySoon` when a response ends that is the last on it, also while the
 * client sends its body (verified on Node 26.10.0). Unread bytes turn that close into a reset, and a reset discards
 * what the client has not read yet (RFC 9112, section 9.6).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

const lingerTimeoutMs = 5000

/**
 * Lets a response reach a client that is still sending its body: the rest of the body is read and dropped for a while,
 * and only then is the connection closed.
 */
export const lingerAfterEarlyResponse = (incoming: IncomingMessage, outgoing: ServerResponse) => {
  outgoing.once('prefinish', () => {
    const { socket } = incoming
    // The stream of a request without a body has ended before the request is complete.
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
