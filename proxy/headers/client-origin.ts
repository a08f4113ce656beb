import { isHost } from './host-syntax.ts'
import { parseAddress, type TrustedProxies } from './trusted-proxies.ts'

/** Who a request comes from and by which address it reached us. */
export interface ClientOrigin {
  /** The nearest address that is no trusted proxy. */
  readonly address: string
  readonly protocol: 'http' | 'https'
  /** The authority the client asked for; empty where an HTTP/1.0 client named none. */
  readonly host: string
  /** What stands in `X-Forwarded-For` towards the core. */
  readonly forwardedFor: string
  /** The `Forwarded` of a trusted proxy with this hop added, otherwise null. */
  readonly forwarded: string | null
  readonly behindTrustedProxy: boolean
}

interface Peer {
  readonly address: string
  readonly encrypted: boolean
  /** The host of the request itself. */
  readonly host: string
}

const joined = (headers: readonly string[], wanted: string): string | null => {
  let value: string | null = null
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? ''
    if (name.length !== wanted.length || name.toLowerCase() !== wanted) continue
    value = value === null ? (headers[at + 1] ?? '') : `${value}, ${headers[at + 1]}`
  }
  return value
}

const first = (list: string | null) => list?.split(',', 1)[0]?.trim() ?? ''

// Proxies write `1.2.3.4:5678` and `[::1]:5678` as well as bare addresses.
const withoutPort = (entry: string) =>
  /^\[(.+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^(\d[\d.]*):\d+$/.exec(entry)?.[1] ?? entry

// Every entry to the left of the first untrusted one was written by that stranger and proves nothing.
const nearestUntrusted = (list: string | null, peer: string, trusted: TrustedProxies) => {
  let nearest = peer
  for (const entry of (list ?? '').split(',').reverse()) {
    const address = withoutPort(entry.trim())
    if (!parseAddress(address)) break
    nearest = address
    if (!trusted.has(address)) break
  }
  return nearest
}

const quoted = (address: string) => (address.includes(':') ? `"[${address}]"` : address)

/** Believes forwarding headers from trusted proxies alone; from anybody else the connection itself says it all. */
export const resolveClientOrigin = (
  headers: readonly string[],
  peer: Peer,
  trusted: TrustedProxies,
): ClientOrigin => {
  const own = peer.encrypted ? 'https' : 'http'
  if (!trusted.has(peer.address)) {
    const { address, host } = peer
    return { address, protocol: own, host, forwardedFor: address, forwarded: null, behindTrustedProxy: false }
  }
  const list = joined(headers, 'x-forwarded-for')
  const protocol = first(joined(headers, 'x-forwarded-proto')).toLowerCase()
  const host = first(joined(headers, 'x-forwarded-host'))
  const forwarded = joined(headers, 'forwarded')
  return {
    address: nearestUntrusted(list, peer.address, trusted),
    protocol: protocol === 'http' || protocol === 'https' ? protocol : own,
    host: isHost(host) ? host : peer.host,
    forwardedFor: list ? `${list}, ${peer.address}` : peer.address,
    forwarded: forwarded === null ? null : `${forwarded}, for=${quoted(peer.address)}`,
    behindTrustedProxy: true,
  }
}
