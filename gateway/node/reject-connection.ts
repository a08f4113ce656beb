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

/** `bytesParsed` is the offset of the error in `rawPacket`, the last chunk that was read. */
export interface ParseError extends NodeJS.ErrnoException {
  readonly bytesParsed?: number
  readonly rawPacket?: Buffer
}

const lineFeed = 0x0a

// Returns the line in which the parser failed, as far as the same read contains it.
const extractFailedLine = ({ bytesParsed = 0, rawPacket }: ParseError) => {
  if (!rawPacket) return ''
  const start = rawPacket.lastIndexOf(lineFeed, Math.max(0, bytesParsed - 1)) + 1
  const end = rawPacket.indexOf('\r\n', bytesParsed)
  return rawPacket.toString('latin1', start, end === -1 ? rawPacket.length : end)
}

const requestLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ +[^ ]+ +HTTP\/([0-9]\.[0-9])$/
// The start or the end of a request line: the read may contain only one of them.
const partialRequestLine = /^[A-Z]+ +[/h]|^[^ ]* HTTP\/1\.[01]$/i

// RFC 9110, section 9.1 distinguishes an unimplemented method from a malformed request line, and section 15.6.6 an
// unsupported version. If the version is supported, the line has another error.
const requestLineErrorCode = (error: ParseError): EdgeErrorCode => {
  const version = requestLine.exec(extractFailedLine(error))?.[1]
  if (version === undefined) return 'bad_request'
  if (error.code !== 'HPE_INVALID_VERSION') return 'method_not_implemented'
  return version === '1.0' || version === '1.1' ? 'bad_request' : 'version_not_supported'
}

const startOfRequest = /(?:^|\n)([A-Z-]+) +(?:[/*]|http)/gi

// False also if the start of the request is not in the same read.
const isErrorInHead = ({ bytesParsed = 0, rawPacket }: ParseError): boolean => {
  const parsed = rawPacket?.toString('latin1', 0, bytesParsed) ?? ''
  return [...parsed.matchAll(startOfRequest)].at(-1)?.[1] === 'HEAD'
}

// Null for bytes that follow a request with `Connection: close`, and undefined for a connection error; neither gets a
// response.
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
      // Chunk extensions are part of the content.
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

/** Bytes that belong to no request, and the error that was sent for them. */
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
 * Ends a connection on which the parser has failed, because it received bytes that are no valid request. The error response
 * never interrupts or replaces another response: earlier complete requests are served first, and the connection then closes
 * without an error. Returns what an error response was sent to that belongs to no request, otherwise null.
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
  // The parser reports an error for each further read of the connection.
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
