import type { ServerResponse } from 'node:http'

/**
 * Writes a body that is whole and ends the answer. Node joins its head with a string, though not with bytes, and
 * writes a single string without allocating anything for it: the cheapest way through for a short answer.
 */
export const writeWhole = (outgoing: ServerResponse, body: string, encoding: 'latin1' | 'utf8') => {
  const { socket } = outgoing
  socket?.cork()
  outgoing.write(body, encoding)
  socket?.uncork()
  outgoing.end()
}
