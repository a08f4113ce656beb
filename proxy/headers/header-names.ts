interface NameSet {
  has(name: string): boolean
}

// The low five bits of an ASCII letter are the same in both cases.
const letterBit = (name: string) => 1 << (name.charCodeAt(0) & 31)

const longestCommonName = 31

/**
 * A set of header names, blind to case. Nearly every name of a request is in no set at all, so length and first
 * letter are compared before the name is folded and looked up.
 */
const nameSet = (names: readonly string[], prefixes: readonly string[] = []): NameSet => {
  const members = new Set(names)
  const lettersByLength = new Int32Array(longestCommonName + 1)
  let prefixLetters = 0
  for (const prefix of prefixes) prefixLetters |= letterBit(prefix)
  lettersByLength.fill(prefixLetters)
  for (const name of names) {
    lettersByLength[name.length] = (lettersByLength[name.length] ?? 0) | letterBit(name)
  }
  return {
    has(name) {
      const letters = name.length > longestCommonName ? prefixLetters : (lettersByLength[name.length] ?? 0)
      if ((letters & letterBit(name)) === 0) return false
      const folded = name.toLowerCase()
      return members.has(folded) || prefixes.some((prefix) => folded.startsWith(prefix))
    },
  }
}

// RFC 9110 section 7.6.1, with the names that older peers treat the same way.
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

// Framing, host and expectation are made anew for each hop, the forwarding headers by `forwardingHeaders`.
// A core that honours one of the rewriting names would serve another path than the one that was routed.
const remade = [
  'host',
  'content-length',
  'expect',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-request-id',
  'x-original-url',
  'x-rewrite-url',
]

export const droppedFromRequest = nameSet([...hopByHop, ...remade], ['x-service-'])
/** An unknown peer may not speak for a proxy in front of it. */
export const droppedFromUntrustedClient = nameSet(
  [...hopByHop, ...remade, 'x-real-ip'],
  ['x-service-', 'x-forwarded-'],
)
/** The gateway names a request itself, also to the core, which may repeat that name. */
export const droppedFromResponse = nameSet([...hopByHop, 'x-request-id'], ['x-service-'])
export const corsNames = nameSet([], ['access-control-'])

const noNames: ReadonlySet<string> = new Set()

// `close` and `keep-alive` name no header that would survive anyway, and are all that nearly every message says.
const namesOnlyItself = (value: string) =>
  value === 'keep-alive' || value === 'close' || value === 'Keep-Alive' || value === 'Close'

/** The header names that the `Connection` headers of a message list: they belong to this hop alone. */
export const parseConnectionOptions = (headers: readonly string[]): ReadonlySet<string> => {
  let names: Set<string> | null = null
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? ''
    if (name.length !== 10 || name.toLowerCase() !== 'connection') continue
    const value = headers[at + 1] ?? ''
    if (namesOnlyItself(value)) continue
    names ??= new Set()
    for (const option of value.split(',')) names.add(option.trim().toLowerCase())
  }
  return names ?? noNames
}
