import ipaddr from 'ipaddr.js'
import QuickLRU from 'quick-lru'

/** The peers whose forwarding headers are believed. */
export interface TrustedProxies {
  readonly has: (address: string) => boolean
}

type Address = ipaddr.IPv4 | ipaddr.IPv6

const toGroups = (dotted: string) => {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number)
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}

// ipaddr.js reads `::a.b.c.d` like `::ffff:a.b.c.d`, and octal numbers in both: it is given groups instead.
const parseV6 = (text: string) => {
  const dotted = /(?<=:)[\d.]*\.[\d.]*(?=%|$)/.exec(text)?.[0]
  if (dotted === undefined) return ipaddr.IPv6.parse(text)
  if (!ipaddr.IPv4.isValidFourPartDecimal(dotted)) return null
  return ipaddr.IPv6.parse(text.replace(dotted, toGroups))
}

// The zone of an IPv6 address names an interface, which makes no difference to what is trusted.
const withoutZone = (text: string) => text.split('%', 1)[0] ?? ''

const parseUncached = (given: string): Address | null => {
  const text = withoutZone(given)
  if (!/^[0-9a-f:.]+$/i.test(text)) return null
  // Not `IPv4.isValid`: it also accepts octal, hexadecimal and shortened forms, which other parsers read differently.
  if (!text.includes(':')) return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : null
  try {
    const address = parseV6(text)
    return address?.isIPv4MappedAddress() ? address.toIPv4Address() : address
  } catch {
    return null
  }
}

// An IPv6 address with the name of its zone, and some more.
const maxAddressLength = 64
const maxCachedAddresses = 1024
// Parsing an IPv6 address takes 10 µs, and every request behind a trusted proxy brings two addresses.
const cache = new QuickLRU<string, Address | null>({ maxSize: maxCachedAddresses })

/** An IPv4 or IPv6 address, or null. An IPv4 address mapped into IPv6 (`::ffff:a.b.c.d`) is returned as IPv4. */
export const parseAddress = (text: string): Address | null => {
  if (text.length > maxAddressLength) return null
  const cached = cache.get(text)
  if (cached !== undefined) return cached
  const address = parseUncached(text)
  cache.set(text, address)
  return address
}

/**
 * An address that is mapped into IPv6 as IPv4, and any other text unchanged. A socket that listens on `::` reports each
 * client of IPv4 so, and a core would take it for another client.
 */
export const unmapAddress = (text: string): string => {
  if (!text.includes(':')) return text
  const address = parseAddress(text)
  return address?.kind() === 'ipv4' ? address.toString() : text
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

/**
 * Parses a list of addresses and CIDR blocks, IPv4 and IPv6.
 * @throws TypeError that names the invalid entry.
 */
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
