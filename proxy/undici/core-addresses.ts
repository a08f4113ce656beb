import { lookup as lookupHost } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'

export type ResolveHost = (hostname: string) => Promise<readonly string[]>

export const resolveHost: ResolveHost = async (hostname) => {
  const found = await lookupHost(hostname, { all: true })
  return found.map(({ address }) => address)
}

export interface CoreAddress {
  readonly origin: string
  /** If null, the origin's host is resolved for every connection. */
  readonly address: string | null
}

const unbracketed = (hostname: string) => hostname.replace(/^\[|\]$/g, '')

/** Names an address by host and port: `core.example.com:443` or `10.0.0.7:9000`. */
export const nameOf = ({ origin, address }: CoreAddress) => {
  const { hostname, port, protocol } = new URL(origin)
  const host = address === null ? hostname : isIP(address) === 6 ? `[${address}]` : address
  return `${host}:${port || (protocol === 'https:' ? 443 : 80)}`
}

export const isResolvable = (origin: string) => {
  const host = unbracketed(new URL(origin).hostname)
  return isIP(host) === 0 && host !== 'localhost'
}

/** A server commonly has one IPv4 and one IPv6 address, so only several of one family mean several servers. */
const selectServers = (addresses: readonly string[]) => {
  const unique = [...new Set(addresses)].sort()
  const ofFamily = (family: number) => unique.filter((address) => isIP(address) === family)
  return [ofFamily(4), ofFamily(6)].find(({ length }) => length > 1) ?? []
}

export const resolveOrigin = async (
  origin: string,
  resolve: ResolveHost,
): Promise<readonly CoreAddress[] | null> => {
  try {
    const addresses = await resolve(unbracketed(new URL(origin).hostname))
    if (addresses.length === 0) return null
    const servers = selectServers(addresses)
    return servers.length === 0
      ? [{ origin, address: null }]
      : servers.map((address) => ({ origin, address }))
  } catch {
    return null
  }
}

export const lookupOf = (address: string): LookupFunction => {
  const family = isIP(address)
  return (_hostname, options, callback) =>
    options.all ? callback(null, [{ address, family }]) : callback(null, address, family)
}
