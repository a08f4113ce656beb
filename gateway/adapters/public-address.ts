import ipaddr from 'ipaddr.js'

// RFC 4291, section 2.4 and the IANA registry: global unicast addresses are only assigned from this block. ipaddr.js also
// classifies unassigned IPv6 addresses as unicast, including the deprecated IPv4-compatible `::127.0.0.1`.
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether the public Internet routes to this IP address. Addresses that wrap an IPv4 address (IPv4-mapped, NAT64, 6to4,
 * Teredo) are not public regardless of the address they contain, because the host they reach depends on the local network.
 */
export const isPublicAddress = (text: string) => {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast)
}
