import { Socket } from 'node:net'

type Connect = typeof Socket.prototype.connect

const readAddress = ([first, second]: readonly unknown[]): string => {
  // `net.connect` and `tls.connect` pass their arguments as one list.
  if (Array.isArray(first)) return readAddress(first)
  if (typeof first !== 'object' || first === null)
    return typeof second === 'string' ? `${second}:${first}` : `localhost:${first}`
  const { host, port, path } = first as { host?: string; port?: number | string; path?: string }
  return path ?? `${host ?? 'localhost'}:${port}`
}

/**
 * Records the address of every connection that this process opens, including TLS connections and those to a host name,
 * until it is stopped.
 */
export const recordConnections = () => {
  const addresses: string[] = []
  const connect: Connect = Socket.prototype.connect
  Socket.prototype.connect = function (this: Socket, ...args: Parameters<Connect>) {
    addresses.push(readAddress(args))
    return connect.apply(this, args)
  } as Connect
  return {
    addresses: addresses as readonly string[],
    stop: () => {
      Socket.prototype.connect = connect
    },
  }
}
