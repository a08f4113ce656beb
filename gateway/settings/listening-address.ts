/** Where the gateway listens when nothing is set. */
export const usualAddress = { host: '127.0.0.1', port: 8787 } as const

export const urlOf = (host: string, port: number | string) =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Where a gateway with these settings will listen; null when the system chooses the port. */
export const addressAhead = ({ HOST, PORT }: Readonly<Record<string, string | undefined>>) =>
  PORT === '0' ? null : urlOf(HOST || usualAddress.host, PORT || usualAddress.port)
