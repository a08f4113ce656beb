import type { EdgeErrorCode } from '../edge/inspect-request.ts'

// `bytesParsed` is the offset of the error in `rawPacket`, the last chunk that was read.
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

/** Whether the request in which the parser failed is HEAD; false if the start of the request is not in the same read. */
export const isErrorInHead = ({ bytesParsed = 0, rawPacket }: ParseError): boolean => {
  const parsed = rawPacket?.toString('latin1', 0, bytesParsed) ?? ''
  return [...parsed.matchAll(startOfRequest)].at(-1)?.[1] === 'HEAD'
}

/**
 * Maps an error of Node's parser to an error code. Returns null for bytes that follow a request with
 * `Connection: close`, and undefined for a connection error; neither gets a response.
 */
export const toEdgeErrorCode = (error: ParseError): EdgeErrorCode | null | undefined => {
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
