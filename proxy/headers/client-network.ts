import { parseAddress } from './trusted-proxies.ts'

/**
 * The key under which limits count a client: its IPv4 address or IPv6 network. A client with one IPv6 address has the
 * 2^64 addresses of its network and could use another one for each request.
 */
export const clientNetworkOf = (address: string): string => {
  if (!address.includes(':')) return address
  const bytes = parseAddress(address)?.toByteArray()
  return bytes?.length === 16 ? bytes.slice(0, 8).join(':') : (bytes?.join('.') ?? address)
}
