import type { EdgeErrorCode } from '../edge/inspect-request.ts'

// What Node tells of a request that it could not read: where in the last read it gave up.
interface ParseError extends NodeJS.ErrnoException {
  readonly bytesParsed?: number
  readonly rawPacket?: Buffer
}

const lineFeed = 0x0a

// The line in which the parser gave up, as far as it came with the same read.
const lineOf = ({ bytesParsed = 0, rawPacket }: ParseError) => {
  if (!rawPacket) return ''
  const start = rawPacket.lastIndexOf(lineFeed, Math.max(0, bytesParsed - 1)) + 1
  const end = rawPacket.indexOf('\r\n', bytesParsed)
  return rawPacket.toString('latin1', start, end === -1 ? rawPacket.length : end)
}

const requestLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ +[^ ]+ +HTTP\/([0-9]\.[0-9])$/
const startOrEndOfRequestLine = /^[A-Z]+ +[/h]|^[^ ]* HTTP\/1\.[01]$/i

// RFC 9110 section 9.1 tells a method that nobody here implements from what is no method at all.
const refusalOfStart = (error: ParseError): EdgeErrorCode => {
  const version = requestLine.exec(lineOf(error))?.[1]
  if (version === undefined) return 'bad_request'
  if (error.code !== 'HPE_INVALID_VERSION') return 'method_not_implemented'
  return version.startsWith('1.') && version < '1.2' ? 'bad_request' : 'version_not_supported'
}

/**
 * What a client is told of bytes that Node's parser took for no request: null is nothing, because it has said itself
 * that none would follow, and undefined is nothing either, because its connection broke.
 */
export const parseErrorCode = (error: ParseError): EdgeErrorCode | null | undefined => {
  switch (error.code) {
    case 'HPE_CLOSED_CONNECTION':
      return null
    case 'HPE_HEADER_OVERFLOW':
      // RFC 9112 section 3 wants a status of its own for a target that is too long.
      return startOrEndOfRequestLine.test(lineOf(error)) ? 'uri_too_long' : 'headers_too_large'
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'request_timeout'
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 'body_too_large'
    case 'HPE_INVALID_METHOD':
    case 'HPE_INVALID_CONSTANT':
    case 'HPE_INVALID_VERSION':
      return refusalOfStart(error)
    default:
      return error.code?.startsWith('HPE_') ? 'bad_request' : undefined
  }
}
