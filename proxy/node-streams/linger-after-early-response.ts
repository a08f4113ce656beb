import type { IncomingMessage, ServerResponse } from 'node:http'

const lingerMs = 5000

/**
 * Lets an answer reach a client that is still sending its body. To close at once would reset the connection, and a
 * reset throws away what the client has not read yet; so the rest of the body is read and dropped for a while, and
 * only then is the connection closed (RFC 9112, section 9.6).
 */
export const lingerAfterEarlyResponse = (incoming: IncomingMessage, outgoing: ServerResponse) => {
  outgoing.once('prefinish', () => {
    const { socket } = incoming
    if (incoming.complete || socket.destroyed) return
    const { destroySoon } = socket
    socket.destroySoon = () => socket.end()
    const cutOff = setTimeout(() => socket.destroy(), lingerMs).unref()
    incoming.once('close', () => {
      clearTimeout(cutOff)
      socket.destroySoon = destroySoon
      if (socket.writableEnded) socket.destroy()
    })
    incoming.resume()
  })
}
