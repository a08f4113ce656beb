import type { EdgeServer } from './http-server.ts'

interface Address {
  readonly host: string
  readonly port: number
  /** The names of the settings that contain the address. */
  readonly settings: { readonly host: string; readonly port: string }
}

const descriptions: Readonly<Record<string, (address: Address) => string>> = {
  EADDRINUSE: ({ host, port, settings }) =>
    `port ${port} of ${host} is in use: set ${settings.port} to a free port`,
  EACCES: ({ port, settings }) =>
    `no permission to listen on port ${port}: set ${settings.port} to a port above 1023`,
  EADDRNOTAVAIL: ({ host, settings }) => describeUnknownHost(host, settings.host),
  ENOTFOUND: ({ host, settings }) => describeUnknownHost(host, settings.host),
}

const describeUnknownHost = (host: string, setting: string) =>
  `${setting} ${host} is not an address of this machine: set ${setting} to a local address`

/** A listener cannot be bound to its address. The message names the setting to change. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}

/** Starts to listen; resolves to the port. Throws `ListenError` for an address that cannot be used. */
export const listenOrThrow = async (edge: EdgeServer, address: Address): Promise<number> => {
  try {
    return await edge.listen(address.port, address.host)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const describe = descriptions[code]
    throw describe ? new ListenError(describe(address), { cause: error }) : error
  }
}
