import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { errorTable } from '#contracts/errors.ts'
import type { EdgeErrorCode } from '../edge/inspect-request.ts'
import { allMethods } from '../request/response.ts'

export const edgeErrorStatus = (code: EdgeErrorCode): number => errorTable[code][0][0]

type Headers = Readonly<Record<string, string>>

/** Headers that stand on the answer to a request whatever it says, also where it is refused. */
export type AdditionalHeaders = (incoming: IncomingMessage) => Headers

const headersOf = (code: EdgeErrorCode, body: string, beside: Headers = {}): string[] => [
  'content-type',
  'application/json',
  'content-length',
  String(body.length),
  'cache-control',
  'no-store',
  'x-service-core-runtime',
  'native',
  'x-service-native-route',
  'unmatched',
  'x-service-proxy-fallback',
  '0',
  ...(code === 'method_not_allowed' ? ['allow', allMethods] : []),
  ...Object.entries(beside).flat(),
  'connection',
  'close',
]

const bodyOf = (code: EdgeErrorCode) => JSON.stringify({ error: code })

const refused = new WeakMap<ServerResponse, EdgeErrorCode>()

/** What a request was refused for by `writeRefusal`. */
export const edgeErrorOn = (outgoing: ServerResponse) => refused.get(outgoing)

/**
 * Answers a request that is refused before it is routed, and closes: its end may not be where it seems to be. What
 * stands `beside` are headers that every answer to such a request has.
 */
export const writeEdgeError = (outgoing: ServerResponse, code: EdgeErrorCode, beside: Headers) => {
  const body = bodyOf(code)
  refused.set(outgoing, code)
  outgoing.writeHead(edgeErrorStatus(code), headersOf(code, body, beside))
  outgoing.end(body)
}

/** The same answer as bytes, for a connection on which no request could be read. */
export const edgeErrorMessage = (code: EdgeErrorCode): string => {
  const body = bodyOf(code)
  // RFC 9110 section 6.6.1 wants it on every answer; where there is a ServerResponse, Node adds it.
  const headers = ['date', new Date().toUTCString(), ...headersOf(code, body)]
  const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : []))
  const status = edgeErrorStatus(code)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n')
}
