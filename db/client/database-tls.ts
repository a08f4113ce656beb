import { listServerUrls } from './database-address.ts'

interface TlsOptions {
  readonly rejectUnauthorized: boolean
  readonly ca?: string
  /**
   * The name that the certificate must have. Without it, Node would check for `localhost` if the host is an IP address.
   */
  readonly host?: string
  readonly checkServerIdentity?: () => undefined
}

export interface DatabaseServer {
  /** Has no TLS parameters, because the driver would interpret them in its own way. */
  readonly url: string
  /** `false` does not encrypt. `prefer` encrypts if the server offers TLS. */
  readonly ssl: TlsOptions | 'prefer' | false
}

const modes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type Mode = (typeof modes)[number]

const isMode = (text: string): text is Mode => modes.some((mode) => mode === text)

const readModeParameter = ({ searchParams }: URL) => {
  const ssl = searchParams.get('ssl')
  return searchParams.get('sslmode') ?? (ssl === 'true' ? 'require' : ssl)
}

const certificateParameters = ['sslrootcert', 'sslcert', 'sslkey', 'sslcrl', 'sslcrldir', 'sslpassword']

// The driver would ignore these parameters, send them to the server, or let them replace our TLS options.
const conflictingParameters = ['host', 'hostaddr', 'port', 'sslnegotiation', 'uselibpqcompat']

export const findTlsParameterError = (databaseUrl: string): string | null => {
  const [url] = listServerUrls(databaseUrl)
  const mode = readModeParameter(url)
  if (mode !== null && !isMode(mode)) return `must use one of these values for sslmode: ${modes.join(', ')}`
  const certificate = certificateParameters.find((name) => url.searchParams.has(name))
  if (certificate) return `must not contain ${certificate}: set DATABASE_CA to the path of a CA bundle`
  const conflicting = conflictingParameters.find((name) => url.searchParams.has(name))
  return conflicting === undefined ? null : `must not contain the parameter ${conflicting}`
}

/** With public CAs, which sign certificates for anyone, that would prove nothing. */
export const requiresDatabaseCa = (databaseUrl: string) =>
  readModeParameter(listServerUrls(databaseUrl)[0]) === 'verify-ca'

// The driver reads PGHOST if the URL has no host.
const readHost = ({ hostname }: URL) =>
  decodeURIComponent(hostname || process.env.PGHOST || 'localhost').replace(/^\[(.*)\]$/, '$1')

const isLocal = (host: string) => host.startsWith('/') || /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host)

const readMode = (url: URL): Mode => {
  const mode = readModeParameter(url)
  if (mode !== null && isMode(mode)) return mode
  return isLocal(readHost(url)) ? 'disable' : 'verify-full'
}

const createTlsOptions = (mode: Mode, url: URL, ca: string | undefined): TlsOptions | false => {
  const trusted = ca === undefined ? {} : { ca }
  if (mode === 'disable') return false
  if (mode === 'verify-full') return { rejectUnauthorized: true, host: readHost(url), ...trusted }
  // As in libpq, `require` verifies the certificate if a CA was given.
  const verifiesCa = mode === 'verify-ca' || (mode === 'require' && ca !== undefined)
  return verifiesCa
    ? { rejectUnauthorized: true, checkServerIdentity: () => undefined, ...trusted }
    : { rejectUnauthorized: false }
}

/**
 * Resolves how to encrypt connections to each server. `sslmode` in the URL has libpq's meaning, except that `allow`
 * means `prefer`. If it is absent, certificates are verified for every host except this machine. `ca` is PEM and
 * defaults to Node's.
 */
export const resolveServers = (
  databaseUrl: string,
  ca: string | undefined,
): readonly [DatabaseServer, ...DatabaseServer[]] => {
  const resolve = (url: URL): DatabaseServer => {
    const mode = readMode(url)
    const ssl = mode === 'allow' || mode === 'prefer' ? 'prefer' : createTlsOptions(mode, url, ca)
    // The driver would send `channel_binding` to the server, which rejects it.
    for (const name of ['sslmode', 'ssl', 'channel_binding'])
      if (url.searchParams.has(name)) url.searchParams.delete(name)
    return { url: url.href, ssl }
  }
  const [first, ...others] = listServerUrls(databaseUrl)
  return [resolve(first), ...others.map(resolve)]
}
