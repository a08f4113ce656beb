/** The default listening address. */
export const defaultAddress = { host: '127.0.0.1', port: 8787 } as const

export const formatListeningUrl = (host: string, port: number | string) =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Returns the URL at which a gateway with these settings will listen; null if the system chooses the port. */
export const findFixedUrl = ({ HOST, PORT }: Readonly<Record<string, string | undefined>>) =>
  PORT === '0' ? null : formatListeningUrl(HOST || defaultAddress.host, PORT || defaultAddress.port)
