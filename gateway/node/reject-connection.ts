import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { EdgeErrorCode } from '../edge/inspect-request.ts'
import {
  type AdditionalHeaders,
  createEdgeErrorMessage,
  type DescribedRequest,
  describeRequest,
  type UnparsedRequest,
  writeEdgeError,
} from './error-response.ts'
import { getCurrentResponse, getNewestResponse } from './pipelining.ts'

/** `bytesParsed` is the error's offset in `rawPacket`, the last chunk read. */
export interface ParseError extends NodeJS.ErrnoException {
  readonly bytesParsed?: number
  readonly rawPacket?: Buffer
}

const lineFeed = 0x0a

const extractFailedLine = ({ bytesParsed = 0, rawPacket }: ParseError) => {
  if (!rawPacket) return ''
  const start = rawPacket.lastIndexOf(lineFeed, Math.max(0, bytesParsed - 1)) + 1
  const end = rawPacket.indexOf('\r\n', bytesParsed)
  return rawPacket.toString('latin1', start, end === -1 ? rawPacket.length : end)
}

const requestLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ +[^ ]+ +HTTP\/([0-9]\.[0-9])$/
// The start or end of a request line: the read may contain only one of them.
const partialRequestLine = /^[A-Z]+ +[/h]|^[^ ]* HTTP\/1\.[01]$/i

// RFC 9110 distinguishes an unimplemented method (section 9.1), an unsupported version (section 15.6.6) and a malformed
// request line.
const requestLineErrorCode = (error: ParseError): EdgeErrorCode => {
  const version = requestLine.exec(extractFailedLine(error))?.[1]
  if (version === undefined) return 'bad_request'
  if (error.code !== 'HPE_INVALID_VERSION') return 'method_not_implemented'
  return version === '1.0' || version === '1.1' ? 'bad_request' : 'version_not_supported'
}

const startOfRequest = /(?:^|\n)([A-Z-]+) +(?:[/*]|http)/gi

const isErrorInHead = ({ bytesParsed = 0, rawPacket }: ParseError): boolean => {
  const parsed = rawPacket?.toString('latin1', 0, bytesParsed) ?? ''
  return [...parsed.matchAll(startOfRequest)].at(-1)?.[1] === 'HEAD'
}

// Null (bytes after a request with `Connection: close`) and undefined (a connection error) get no response.
const toEdgeErrorCode = (error: ParseError): EdgeErrorCode | null | undefined => {
  switch (error.code) {
    case 'HPE_CLOSED_CONNECTION':
      return null
    case 'HPE_HEADER_OVERFLOW':
      // RFC 9112, section 3 requires 414 for a target that is too long.
      return partialRequestLine.test(extractFailedLine(error)) ? 'uri_too_long' : 'headers_too_large'
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'request_timeout'
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      // Chunk extensions count as content.
      return 'body_too_large'
    case 'HPE_INVALID_METHOD':
    case 'HPE_INVALID_CONSTANT':
    case 'HPE_INVALID_VERSION':
      return requestLineErrorCode(error)
    default:
      return error.code?.startsWith('HPE_') ? 'bad_request' : undefined
  }
}

const lingerTimeoutMs = 1000

const ending = new WeakSet<Duplex>()

// RFC 9112, section 9.6: closing a connection with unread bytes resets it, which can destroy the response before the
// client reads it. So keep reading for a while.
const endAndLinger = (socket: Duplex, message?: string) => {
  if (socket.writable) socket.end(message)
  const destroyTimer = setTimeout(() => socket.destroy(), lingerTimeoutMs).unref()
  socket.once('close', () => clearTimeout(destroyTimer))
}

interface ConnectionFault {
  readonly code: EdgeErrorCode | null
  readonly isHead: boolean
}

interface RejectedBytes extends UnparsedRequest {
  readonly code: EdgeErrorCode
}

const endWithError = (socket: Duplex, { code, isHead }: ConnectionFault): RejectedBytes | null => {
  const rejected = code && { ...describeRequest(null), isHead, code }
  endAndLinger(socket, rejected ? createEdgeErrorMessage(rejected.code, rejected) : undefined)
  return rejected
}

const hasEnded = (response: ServerResponse) => response.writableFinished || response.destroyed

const endAfter = (response: ServerResponse, socket: Duplex) => {
  response.shouldKeepAlive = false
  response.once('finish', () => endAndLinger(socket))
}

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
 * Ends a connection after the parser failed on it. Never interrupts or replaces another response: earlier complete
 * requests are served first. Returns the rejected bytes if they belong to no request and got an error response;
 * otherwise null.
 */
export const rejectStrayBytes = (
  error: ParseError,
  socket: Duplex,
  additionalHeaders: AdditionalHeaders,
): RejectedBytes | null => {
  const code = toEdgeErrorCode(error)
  if (code === undefined) {
    socket.destroy()
    return null
  }
  // The parser reports an error again for every further read.
  if (!socket.writable || ending.has(socket)) return null
  ending.add(socket)
  const fault = { code, isHead: isErrorInHead(error) }
  const newest = getNewestResponse(socket)
  if (!newest) return endWithError(socket, fault)
  if (newest === getCurrentResponse(socket)) return endAtCurrent(newest, socket, fault, additionalHeaders)
  if (newest.req.complete) endAfter(newest, socket)
  else newest.destroy()
  return null
}

/**
 * Rejects a CONNECT request once the responses to earlier requests are sent. Returns a description of the request.
 * `stream` is the socket that Node has detached from the server.
 */
export const rejectConnect = (incoming: IncomingMessage, stream: Duplex): DescribedRequest => {
  const { socket } = incoming
  const request = { ...describeRequest(incoming), isHead: false }
  // Node has removed its listeners, and an unhandled error event would end the process.
  for (const duplex of [socket, stream]) duplex.on('error', () => duplex.destroy())
  // A response that is still being sent waits for this event, which Node would have passed on.
  socket.on('drain', () => getCurrentResponse(socket)?.emit('drain'))
  socket.resume()
  const reject = () => endAndLinger(socket, createEdgeErrorMessage('method_not_allowed', request))
  const newest = getNewestResponse(socket)
  if (!newest || hasEnded(newest)) reject()
  else newest.once('finish', reject)
  return request
}
