/** The peers whose forwarding headers are used. */
export interface TrustedProxies {
  readonly has: (address: string) => boolean
}

const parseV4 = (text: string): Uint8Array | null => {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return null
  return Uint8Array.from(parts, Number)
}

const parseGroups = (text: string): number[] | null => {
  if (text === '') return []
  const groups: number[] = []
  const parts = text.split(':')
  for (const [index, part] of parts.entries()) {
    const embedded = index === parts.length - 1 && part.includes('.') ? parseV4(part) : null
    if (embedded) {
      const [a = 0, b = 0, c = 0, d = 0] = embedded
      groups.push((a << 8) | b, (c << 8) | d)
    } else if (/^[0-9A-Fa-f]{1,4}$/.test(part)) groups.push(Number.parseInt(part, 16))
    else return null
  }
  return groups
}

const parseV6 = (text: string): Uint8Array | null => {
  const [head = '', tail, ...more] = text.split('::')
  const before = parseGroups(head)
  const after = parseGroups(tail ?? '')
  if (!before || !after || more.length > 0) return null
  const missing = 8 - before.length - after.length
  if (tail === undefined ? missing !== 0 : missing < 1) return null
  const groups = [...before, ...Array<number>(missing).fill(0), ...after]
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 255]))
}

const isMappedV4 = (bytes: Uint8Array) =>
  bytes.length === 16 &&
  bytes[10] === 255 &&
  bytes[11] === 255 &&
  bytes.subarray(0, 10).every((byte) => byte === 0)

/** 4 or 16 bytes, or null if the text is not an address. An IPv4-mapped IPv6 address (`::ffff:a.b.c.d`) has 4. */
export const parseAddress = (text: string): Uint8Array | null => {
  const zone = text.indexOf('%')
  const bytes = parseV4(text) ?? parseV6(zone === -1 ? text : text.slice(0, zone))
  return bytes && isMappedV4(bytes) ? bytes.subarray(12) : bytes
}

interface Network {
  readonly bytes: Uint8Array
  readonly bits: number
}

const parseNetwork = (cidr: string): Network => {
  const [text = '', length, ...more] = cidr.trim().split('/')
  const bytes = parseAddress(text)
  if (!bytes || more.length > 0) throw new TypeError(`"${cidr}" is not an address or a CIDR block`)
  if (length === undefined) return { bytes, bits: bytes.length * 8 }
  // The prefix length of a mapped address counts from the start of the 128 bits.
  const bits = Number(length) - (bytes.length === 4 && text.includes(':') ? 96 : 0)
  if (!/^\d{1,3}$/.test(length) || bits < 0 || bits > bytes.length * 8) {
    throw new TypeError(`"${cidr}" has no valid prefix length`)
  }
  return { bytes, bits }
}

const contains = ({ bytes, bits }: Network, address: Uint8Array) => {
  if (bytes.length !== address.length) return false
  const fullBytes = bits >> 3
  for (let at = 0; at < fullBytes; at++) if (bytes[at] !== address[at]) return false
  const rest = bits & 7
  return rest === 0 || ((bytes[fullBytes] ?? 0) ^ (address[fullBytes] ?? 0)) >> (8 - rest) === 0
}

const maxCachedPeers = 1024

/**
 * Parses a list of addresses and CIDR blocks, IPv4 and IPv6.
 * @throws TypeError that names the first entry which is neither.
 */
export const trustedProxies = (blocks: readonly string[]): TrustedProxies => {
  const networks = blocks.map(parseNetwork)
  const results = new Map<string, boolean>()
  const isInNetwork = (address: string) => {
    const bytes = parseAddress(address)
    return bytes !== null && networks.some((network) => contains(network, bytes))
  }
  return {
    has(address) {
      if (networks.length === 0) return false
      let isTrusted = results.get(address)
      if (isTrusted === undefined) {
        if (results.size >= maxCachedPeers) results.clear()
        isTrusted = isInNetwork(address)
        results.set(address, isTrusted)
      }
      return isTrusted
    },
  }
}
