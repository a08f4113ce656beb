// Optimized: see "GET of 1 KiB, 32 connections" in bench/README.md.
import { namesOfProxies, prefixesOfProxies } from './names-of-proxies.ts'

interface NameSet {
  has(name: string): boolean
}

// The low five bits of an ASCII letter are the same in both cases.
const letterBit = (name: string) => 1 << (name.charCodeAt(0) & 31)

/**
 * A set of header names, which ignores case. Nearly every name of a request is in no set at all, so length and first
 * letter are compared before the name is lower-cased and looked up.
 */
const createNameSet = (names: readonly string[], prefixes: readonly string[] = []): NameSet => {
  const members = new Set(names)
  const lettersByLength = new Int32Array(Math.max(0, ...names.map(({ length }) => length)) + 1)
  let prefixLetters = 0
  for (const prefix of prefixes) prefixLetters |= letterBit(prefix)
  lettersByLength.fill(prefixLetters)
  for (const name of names) {
    lettersByLength[name.length] = (lettersByLength[name.length] ?? 0) | letterBit(name)
  }
  return {
    has(name) {
      const letters = lettersByLength[name.length] ?? prefixLetters
      if ((letters & letterBit(name)) === 0) return false
      const lowerCaseName = name.toLowerCase()
      return members.has(lowerCaseName) || prefixes.some((prefix) => lowerCaseName.startsWith(prefix))
    },
  }
}

// RFC 9110, section 7.6.1, and the names that older implementations treat the same way.
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]

// Framing, host, expectation and forwarding headers are set for each hop.
const setPerHop = [
  'host',
  'content-length',
  'expect',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-request-id',
  // Parsed and bounded before they are sent on.
  'traceparent',
  'tracestate',
]

// The edge rejects a request whose override names another method than its own, so the others have no effect.
const methodOverrides = ['x-http-method-override', 'x-http-method', 'x-method-override']

const droppedFromEveryPeer = [...hopByHop, ...setPerHop, ...methodOverrides]

export const droppedFromRequest = createNameSet(droppedFromEveryPeer, ['x-service-'])
/** A peer that is not a trusted proxy cannot set forwarding headers. */
export const droppedFromUntrustedClient = createNameSet(
  [...droppedFromEveryPeer, ...namesOfProxies],
  ['x-service-', ...prefixesOfProxies],
)
/** The gateway sends the request id itself; the core may repeat the one that it was sent. */
export const droppedFromResponse = createNameSet([...hopByHop, 'x-request-id'], ['x-service-'])
export const corsNames = createNameSet([], ['access-control-'])

const noNames: ReadonlySet<string> = new Set()

// `close` and `keep-alive` name no header that would be forwarded, and nearly every message has no other options.
const isCommonOption = (value: string) =>
  value === 'keep-alive' || value === 'close' || value === 'Keep-Alive' || value === 'Close'

/** The lower-case header names that the `Connection` headers of a message list: they apply to this hop only. */
export const parseConnectionOptions = (headers: readonly string[]): ReadonlySet<string> => {
  let names: Set<string> | null = null
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? ''
    if (name.length !== 10 || name.toLowerCase() !== 'connection') continue
    const value = headers[index + 1] ?? ''
    if (isCommonOption(value)) continue
    names ??= new Set()
    for (const option of value.split(',')) names.add(option.trim().toLowerCase())
  }
  return names ?? noNames
}
