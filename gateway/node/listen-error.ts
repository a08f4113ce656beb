import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { EdgeServer } from './http-server.ts'

export interface Address {
  readonly host: string
  readonly port: number
  readonly settings: { readonly host: string; readonly port: string }
}

/** Both lists are empty if the host cannot be resolved. */
interface HostAddresses {
  readonly resolved: readonly string[]
  readonly own: readonly string[]
}

const resolveHost = async (host: string): Promise<HostAddresses> => {
  const found = await lookup(host, { all: true }).catch(() => [])
  const resolved = found.map(({ address }) => address)
  const local = new Set(Object.values(networkInterfaces()).flatMap((each) => each?.map((at) => at.address)))
  return { resolved, own: resolved.filter((address) => local.has(address)) }
}

export const describeUnknownHost = (host: string, setting: string, { resolved, own }: HostAddresses) => {
  if (isIP(host) > 0)
    return `${setting} ${host} is not an address of this machine: set ${setting} to a local address`
  if (resolved.length === 0)
    return `${setting} ${host} cannot be resolved: set ${setting} to an address of this machine, such as 127.0.0.1`
  const addresses = resolved.join(', ')
  // A server listens only on the first address of a name.
  return own.length === 0
    ? `${setting} ${host} resolves to ${addresses}, and this machine has none of these addresses: set ${setting} to a local address`
    : `${setting} ${host} resolves to ${addresses}, and the first is not an address of this machine: set ${setting} to ${own.join(' or ')}`
}

const describeHost = async ({ host, settings }: Address) =>
  describeUnknownHost(
    host,
    settings.host,
    isIP(host) > 0 ? { resolved: [], own: [] } : await resolveHost(host),
  )

const descriptions: Readonly<Record<string, (address: Address) => string | Promise<string>>> = {
  EADDRINUSE: ({ host, port, settings }) =>
    `port ${port} on ${host} is in use: set ${settings.port} to a free port`,
  EACCES: ({ port, settings }) =>
    `no permission to listen on port ${port}: set ${settings.port} to a port above 1023`,
  EADDRNOTAVAIL: describeHost,
  ENOTFOUND: describeHost,
  EAI_AGAIN: describeHost,
}

export class ListenError extends Error {
  override readonly name = 'ListenError'
}

export const listenOrThrow = async (edge: Pick<EdgeServer, 'listen'>, address: Address): Promise<number> => {
  try {
    return await edge.listen(address.port, address.host)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const describe = descriptions[code]
    throw describe ? new ListenError(await describe(address), { cause: error }) : error
  }
}
