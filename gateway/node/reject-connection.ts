import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { EdgeErrorCode } from '../edge/inspect-request.ts'
import { type DescribedRequest, describeRequest } from './describe-request.ts'
import {
  type AdditionalHeaders,
  createEdgeErrorMessage,
  type UnparsedRequest,
  writeEdgeError,
} from './error-response.ts'
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

/** An error of the parser. */
interface ConnectionFault {
  /** Null for bytes that get no response. */
  readonly code: EdgeErrorCode | null
  readonly isHead: boolean
}

// Returns the request that the response belongs to; null if there is no response.
const endWithError = (socket: Duplex, { code, isHead }: ConnectionFault): UnparsedRequest | null => {
  const request = code && { ...describeRequest(null), isHead }
  endAndLinger(socket, request ? createEdgeErrorMessage(code, request) : undefined)
  return request
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
  fault: ConnectionFault,
  additionalHeaders: AdditionalHeaders,
) => {
  const { req, writableEnded, headersSent } = newest
  const { code } = fault
  if (hasEnded(newest)) return endWithError(socket, req.complete ? fault : { ...fault, code: null })
  if (req.complete || writableEnded) endAfter(newest, socket)
  else if (headersSent || !code) socket.destroy()
  else {
    endAfter(newest, socket)
    writeEdgeError(newest, code, describeRequest(req), additionalHeaders(req))
  }
  return null
}

/**
 * Ends a connection that received bytes which are not a valid request. The error response never interrupts or replaces
 * another response: earlier complete requests are served first, and the connection then closes without an error, as it
 * does if the code is null. Returns what an error response was sent to that belongs to no request, otherwise null.
 */
export const rejectStrayBytes = (
  socket: Duplex,
  fault: ConnectionFault,
  additionalHeaders: AdditionalHeaders,
): UnparsedRequest | null => {
  // The parser reports an error for each further read of the connection.
  if (!socket.writable || ending.has(socket)) return null
  ending.add(socket)
  const newest = getNewestResponse(socket)
  if (!newest) return endWithError(socket, fault)
  if (newest === getCurrentResponse(socket)) return endAtCurrent(newest, socket, fault, additionalHeaders)
  if (newest.req.complete) endAfter(newest, socket)
  else newest.destroy()
  return null
}

/**
 * Rejects a CONNECT request after the responses to earlier requests. `stream` is the socket that Node detached. Returns
 * what describes the request.
 */
export const rejectConnect = (incoming: IncomingMessage, stream: Duplex): DescribedRequest => {
  const { socket } = incoming
  const request = { ...describeRequest(incoming), isHead: false }
  // Node has removed its listeners: an unhandled error event would end the process.
  for (const duplex of [socket, stream]) duplex.on('error', () => duplex.destroy())
  socket.resume()
  const reject = () => endAndLinger(socket, createEdgeErrorMessage('method_not_allowed', request))
  const newest = getNewestResponse(socket)
  if (!newest || hasEnded(newest)) reject()
  else newest.once('finish', reject)
  return request
}
