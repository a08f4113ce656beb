import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { EdgeErrorCode } from '../edge/inspect-request.ts'
import { type AdditionalHeaders, edgeErrorMessage, writeEdgeError } from './error-response.ts'
import { currentResponseOn, newestResponseOn } from './pipelining.ts'

const lingerMs = 1000

const ending = new WeakSet<Duplex>()

// RFC 9112 section 9.6: a connection that is closed over bytes nobody has read is reset, and a reset takes from the
// client what it has not read yet. So what still comes is dropped for a while.
const endLingering = (socket: Duplex, lastWords?: string) => {
  if (socket.writable) socket.end(lastWords)
  const cutOff = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => clearTimeout(cutOff))
}

const isOver = (answer: ServerResponse) => answer.writableFinished || answer.destroyed

const endAfter = (answer: ServerResponse, socket: Duplex) => {
  answer.shouldKeepAlive = false
  answer.once('finish', () => endLingering(socket))
}

// The newest request is being served, or was.
const endBehind = (
  newest: ServerResponse,
  socket: Duplex,
  code: EdgeErrorCode | null,
  headersBeside: AdditionalHeaders,
) => {
  const { complete } = newest.req
  if (isOver(newest)) {
    endLingering(socket, complete && code ? edgeErrorMessage(code) : undefined)
    return complete
  }
  if (complete || newest.writableEnded) endAfter(newest, socket)
  else if (newest.headersSent || !code) socket.destroy()
  else {
    endAfter(newest, socket)
    writeEdgeError(newest, code, headersBeside(newest.req))
  }
  return false
}

/**
 * Ends a connection on which bytes came that are no request. They are never answered into the middle, or in the
 * place, of another answer: complete requests before them get theirs first, and then the connection just ends, as it
 * does without a code. Whether a refusal was sent that is the answer to no request.
 */
export const rejectStrayBytes = (
  socket: Duplex,
  code: EdgeErrorCode | null,
  headersBeside: AdditionalHeaders,
): boolean => {
  // More of the same follows for as long as the client sends.
  if (!socket.writable || ending.has(socket)) return false
  ending.add(socket)
  const newest = newestResponseOn(socket)
  if (!newest) {
    endLingering(socket, code ? edgeErrorMessage(code) : undefined)
    return true
  }
  if (newest === currentResponseOn(socket)) return endBehind(newest, socket, code, headersBeside)
  if (newest.req.complete) endAfter(newest, socket)
  else newest.destroy()
  return false
}

/** Refuses a tunnel, in its turn. `stream` is what Node hands over of the connection. */
export const rejectConnect = ({ socket }: IncomingMessage, stream: Duplex) => {
  // Node listens to the connection no more: whatever breaks on it now would end the process.
  for (const one of [socket, stream]) one.on('error', () => one.destroy())
  socket.resume()
  const refuse = () => endLingering(socket, edgeErrorMessage('method_not_allowed'))
  const newest = newestResponseOn(socket)
  if (!newest || isOver(newest)) refuse()
  else newest.once('finish', refuse)
}
