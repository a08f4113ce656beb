import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { EdgeErrorCode } from '../edge/inspect-request.ts'
import { type AdditionalHeaders, createEdgeErrorMessage, writeEdgeError } from './error-response.ts'
import { getCurrentResponse, getNewestResponse } from './pipelining.ts'

const lingerTimeoutMs = 1000

const ending = new WeakSet<Duplex>()

// RFC 9112, section 9.6: closing a connection with unread bytes resets it, and a reset can destroy the response before the
// client reads it. So further bytes are read and dropped for a while.
const endAndLinger = (socket: Duplex, message?: string) => {
  if (socket.writable) socket.end(message)
  const destroyTimer = setTimeout(() => socket.destroy(), lingerTimeoutMs).unref()
  socket.once('close', () => clearTimeout(destroyTimer))
}

const hasEnded = (response: ServerResponse) => response.writableFinished || response.destroyed

const endAfter = (response: ServerResponse, socket: Duplex) => {
  response.shouldKeepAlive = false
  response.once('finish', () => endAndLinger(socket))
}

// Ends the connection when its newest request is being served or was served.
const endAtCurrent = (
  newest: ServerResponse,
  socket: Duplex,
  code: EdgeErrorCode | null,
  additionalHeaders: AdditionalHeaders,
) => {
  const { complete } = newest.req
  if (hasEnded(newest)) {
    endAndLinger(socket, complete && code ? createEdgeErrorMessage(code) : undefined)
    return complete
  }
  if (complete || newest.writableEnded) endAfter(newest, socket)
  else if (newest.headersSent || !code) socket.destroy()
  else {
    endAfter(newest, socket)
    writeEdgeError(newest, code, additionalHeaders(newest.req))
  }
  return false
}

/**
 * Ends a connection that received bytes which are not a valid request. The error response never interrupts or replaces
 * another response: earlier complete requests are served first, and the connection then closes without an error, as it
 * does if `code` is null. Returns whether an error response was sent that belongs to no request.
 */
export const rejectStrayBytes = (
  socket: Duplex,
  code: EdgeErrorCode | null,
  additionalHeaders: AdditionalHeaders,
): boolean => {
  // The parser reports an error for each further read of the connection.
  if (!socket.writable || ending.has(socket)) return false
  ending.add(socket)
  const newest = getNewestResponse(socket)
  if (!newest) {
    endAndLinger(socket, code ? createEdgeErrorMessage(code) : undefined)
    return true
  }
  if (newest === getCurrentResponse(socket)) return endAtCurrent(newest, socket, code, additionalHeaders)
  if (newest.req.complete) endAfter(newest, socket)
  else newest.destroy()
  return false
}

/** Rejects a CONNECT request after the responses to earlier requests. `stream` is the socket that Node detached. */
export const rejectConnect = ({ socket }: IncomingMessage, stream: Duplex) => {
  // Node has removed its listeners: an unhandled error event would end the process.
  for (const duplex of [socket, stream]) duplex.on('error', () => duplex.destroy())
  socket.resume()
  const reject = () => endAndLinger(socket, createEdgeErrorMessage('method_not_allowed'))
  const newest = getNewestResponse(socket)
  if (!newest || hasEnded(newest)) reject()
  else newest.once('finish', reject)
}
