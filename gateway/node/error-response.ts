import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { errorTable } from '#contracts/errors.ts'
import type { RefusalCode } from '../edge/inspect-request.ts'
import { everyMethod } from '../request/response.ts'

export const refusalStatus = (code: RefusalCode): number => errorTable[code][0][0]

type Headers = Readonly<Record<string, string>>

/** Headers that stand on the answer to a request whatever it says, also where it is refused. */
export type HeadersBeside = (incoming: IncomingMessage) => Headers

const headersOf = (code: RefusalCode, body: string, beside: Headers = {}): string[] => [
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
  ...(code === 'method_not_allowed' ? ['allow', everyMethod] : []),
  ...Object.entries(beside).flat(),
  'connection',
  'close',
]

const bodyOf = (code: RefusalCode) => JSON.stringify({ error: code })

const refused = new WeakMap<ServerResponse, RefusalCode>()

/** What a request was refused for by `writeRefusal`. */
export const refusalOn = (outgoing: ServerResponse) => refused.get(outgoing)

/**
 * Answers a request that is refused before it is routed, and closes: its end may not be where it seems to be. What
 * stands `beside` are headers that every answer to such a request has.
 */
export const writeRefusal = (outgoing: ServerResponse, code: RefusalCode, beside: Headers) => {
  const body = bodyOf(code)
  refused.set(outgoing, code)
  outgoing.writeHead(refusalStatus(code), headersOf(code, body, beside))
  outgoing.end(body)
}

/** The same answer as bytes, for a connection on which no request could be read. */
export const refusalMessage = (code: RefusalCode): string => {
  const body = bodyOf(code)
  // RFC 9110 section 6.6.1 wants it on every answer; where there is a ServerResponse, Node adds it.
  const headers = ['date', new Date().toUTCString(), ...headersOf(code, body)]
  const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : []))
  const status = refusalStatus(code)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n')
}
