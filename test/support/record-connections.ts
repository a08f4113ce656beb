import { Socket } from 'node:net'

type Connect = typeof Socket.prototype.connect

// `net.connect` and `tls.connect` pass their arguments as one list.
const readAddress = (first: unknown): string => {
  const options: unknown = Array.isArray(first) ? first[0] : first
  if (typeof options !== 'object' || options === null) return String(options)
  const { host, port, path } = options as { host?: string; port?: number | string; path?: string }
  return path ?? `${host ?? 'localhost'}:${port}`
}

/** Records the address of every connection that this process opens, also by name and with TLS, until it is stopped. */
export const recordConnections = () => {
  const addresses: string[] = []
  const connect: Connect = Socket.prototype.connect
  Socket.prototype.connect = function (this: Socket, ...args: Parameters<Connect>) {
    addresses.push(readAddress(args[0]))
    return connect.apply(this, args)
  } as Connect
  return {
    addresses: addresses as readonly string[],
    stop: () => {
      Socket.prototype.connect = connect
    },
  }
}
