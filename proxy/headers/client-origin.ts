import { isHost } from './host-syntax.ts'
import { parseAddress, type TrustedProxies, unmapAddress } from './trusted-proxies.ts'

/** The client that a request comes from, and the authority that it was sent to. */
export interface ClientOrigin {
  /** The nearest address that is not a trusted proxy. */
  readonly address: string
  readonly protocol: 'http' | 'https'
  /** The authority that the client requested; empty where an HTTP/1.0 client sent none. */
  readonly host: string
  /** The value of `X-Forwarded-For` for the core. */
  readonly forwardedFor: string
  /** The `Forwarded` of a trusted proxy with this hop added, otherwise null. */
  readonly forwarded: string | null
  readonly behindTrustedProxy: boolean
}

interface ConnectionPeer {
  readonly address: string
  readonly encrypted: boolean
  /** The host of the request itself. */
  readonly host: string
}

const joinValues = (headers: readonly string[], wanted: string): string | null => {
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

// From right to left: an untrusted address may have written every entry to the left of its own.
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

/** Uses forwarding headers only if the peer is a trusted proxy; otherwise the origin is that of the connection. */
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
