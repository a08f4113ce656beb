import ipaddr from 'ipaddr.js'
import QuickLRU from 'quick-lru'

type Address = ipaddr.IPv4 | ipaddr.IPv6

const toGroups = (dotted: string) => {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number)
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}

// ipaddr.js reads `::a.b.c.d` like `::ffff:a.b.c.d`, and accepts octal numbers in both, so the dotted part is converted
// to hexadecimal groups first.
const parseV6 = (text: string) => {
  const dotted = /(?<=:)[\d.]*\.[\d.]*(?=%|$)/.exec(text)?.[0]
  if (dotted === undefined) return ipaddr.IPv6.parse(text)
  if (!ipaddr.IPv4.isValidFourPartDecimal(dotted)) return null
  return ipaddr.IPv6.parse(text.replace(dotted, toGroups))
}

// The zone of an IPv6 address names an interface, which does not affect trust.
const withoutZone = (text: string) => text.split('%', 1)[0] ?? ''

const parseUncached = (given: string): Address | null => {
  const text = withoutZone(given)
  if (!/^[0-9a-f:.]+$/i.test(text)) return null
  // Not `IPv4.isValid`, which also accepts octal, hexadecimal and shortened forms that other parsers read
  // differently.
  if (!text.includes(':')) return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : null
  try {
    const address = parseV6(text)
    return address?.isIPv4MappedAddress() ? address.toIPv4Address() : address
  } catch {
    return null
  }
}

// Longer than any IPv6 address with its zone.
const maxAddressLength = 64
const maxCachedAddresses = 1024
// Parsing an IPv6 address takes 10 µs, and every request behind a trusted proxy carries two addresses.
const cache = new QuickLRU<string, Address | null>({ maxSize: maxCachedAddresses })

/** An IPv4 address mapped into IPv6 (`::ffff:a.b.c.d`) comes back as IPv4. */
export const parseAddress = (text: string): Address | null => {
  if (text.length > maxAddressLength) return null
  const cached = cache.get(text)
  if (cached !== undefined) return cached
  const address = parseUncached(text)
  cache.set(text, address)
  return address
}

/** A socket listening on `::` reports IPv4 clients as mapped, and a core would take them for different clients. */
const unmapAddress = (text: string): string => {
  if (!text.includes(':')) return text
  const address = parseAddress(text)
  return address?.kind() === 'ipv4' ? address.toString() : text
}

/**
 * Returns the key by which limits identify a client: its IPv4 address or IPv6 network. The address alone would not do
 * for IPv6, because a client has 2^64 of them in its network and could use a new one for every request.
 */
export const clientNetworkOf = (address: string): string => {
  if (!address.includes(':')) return address
  const bytes = parseAddress(address)?.toByteArray()
  return bytes?.length === 16 ? bytes.slice(0, 8).join(':') : (bytes?.join('.') ?? address)
}

const hostName = /^[A-Za-z0-9._~-]+(?::[0-9]{0,5})?$/
const addressLiteral = /^\[([0-9A-Fa-f.]*:[0-9A-Fa-f:.]*)\](?::[0-9]{0,5})?$/

export const isHost = (value: string) => {
  if (!value.startsWith('[')) return hostName.test(value)
  const address = addressLiteral.exec(value)?.[1]
  return address !== undefined && parseAddress(address) !== null
}

export interface TrustedProxies {
  readonly has: (address: string) => boolean
}

const parseNetwork = (block: string): [Address, number] => {
  const [text = '', length, ...more] = block.trim().split('/')
  const address = parseAddress(text)
  if (!address || more.length > 0) throw new TypeError(`"${block}" is not an address or a CIDR block`)
  const maxBits = address.kind() === 'ipv4' ? 32 : 128
  if (length === undefined) return [address, maxBits]
  // The prefix length of a mapped address counts from the start of its 128 bits.
  const bits = Number(length) - (maxBits === 32 && text.includes(':') ? 96 : 0)
  if (!/^\d{1,3}$/.test(length) || bits < 0 || bits > maxBits) {
    throw new TypeError(`"${block}" has no valid prefix length`)
  }
  return [address, bits]
}

/** @throws TypeError that names the invalid entry. */
export const parseTrustedProxies = (blocks: readonly string[]): TrustedProxies => {
  const networks = blocks.map(parseNetwork)
  if (networks.length === 0) return { has: () => false }
  return {
    has(text) {
      const address = parseAddress(text)
      return address !== null && ipaddr.subnetMatch(address, { trusted: networks }, 'other') === 'trusted'
    },
  }
}

export interface ClientOrigin {
  /** The address nearest to the gateway that is not a trusted proxy's. */
  readonly address: string
  readonly protocol: 'http' | 'https'
  /** The authority the client requested. Empty if an HTTP/1.0 client sent none. */
  readonly host: string
  readonly forwardedFor: string
  /** The `Forwarded` that a trusted proxy sent, with this hop added; otherwise null. */
  readonly forwarded: string | null
  readonly behindTrustedProxy: boolean
}

interface ConnectionPeer {
  readonly address: string
  readonly encrypted: boolean
  /** The request's own host, not a forwarded one. */
  readonly host: string
}

/** `headers` alternates names and values; `wanted` is in lower case. Null if there is no such header. */
export const joinValues = (headers: readonly string[], wanted: string): string | null => {
  let value: string | null = null
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? ''
    if (name.length !== wanted.length || name.toLowerCase() !== wanted) continue
    value = value === null ? (headers[index + 1] ?? '') : `${value}, ${headers[index + 1]}`
  }
  return value
}

const firstOf = (list: string | null) => list?.split(',', 1)[0]?.trim() ?? ''

// Proxies write `1.2.3.4:5678` and `[::1]:5678` as well as bare addresses.
const withoutPort = (entry: string) =>
  /^\[(.+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^(\d[\d.]*):\d+$/.exec(entry)?.[1] ?? entry

// Reads from right to left, because an untrusted client may have made up every entry to the left of its own.
const findNearestUntrusted = (list: string | null, peer: string, trusted: TrustedProxies) => {
  let nearest = peer
  for (const entry of (list ?? '').split(',').reverse()) {
    const address = unmapAddress(withoutPort(entry.trim()))
    if (!parseAddress(address)) break
    nearest = address
    if (!trusted.has(address)) break
  }
  return nearest
}

const formatNode = (address: string) => (address.includes(':') ? `"[${address}]"` : address)

/** Uses forwarding headers only if the peer is a trusted proxy. Otherwise the connection decides. */
export const resolveClientOrigin = (
  headers: readonly string[],
  peer: ConnectionPeer,
  trusted: TrustedProxies,
): ClientOrigin => {
  const own = peer.encrypted ? 'https' : 'http'
  const address = unmapAddress(peer.address)
  if (!trusted.has(address)) {
    const { host } = peer
    return { address, protocol: own, host, forwardedFor: address, forwarded: null, behindTrustedProxy: false }
  }
  const list = joinValues(headers, 'x-forwarded-for')
  const protocol = firstOf(joinValues(headers, 'x-forwarded-proto')).toLowerCase()
  const host = firstOf(joinValues(headers, 'x-forwarded-host'))
  const forwarded = joinValues(headers, 'forwarded')
  return {
    address: findNearestUntrusted(list, address, trusted),
    protocol: protocol === 'http' || protocol === 'https' ? protocol : own,
    host: isHost(host) ? host : peer.host,
    forwardedFor: list ? `${list}, ${address}` : address,
    forwarded: forwarded === null ? null : `${forwarded}, for=${formatNode(address)}`,
    behindTrustedProxy: true,
  }
}
