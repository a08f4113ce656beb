/** The part of the options of `tls.connect` that the drivers need. */
interface TlsOptions {
  readonly rejectUnauthorized: boolean
  /** Certificates that are trusted instead of Node's, as PEM. */
  readonly ca?: string
  /** The name that the certificate must have; Node would otherwise check `localhost` for an IP address. */
  readonly host?: string
  readonly checkServerIdentity?: () => undefined
}

export interface DatabaseTls {
  /** The URL without its TLS parameters, which each driver would interpret in its own way. */
  readonly url: string
  /** False: connections are not encrypted. */
  readonly tls: TlsOptions | false
  /** Connections are not encrypted if the server does not offer TLS. */
  readonly isOptional: boolean
}

const modes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type Mode = (typeof modes)[number]

const isMode = (text: string): text is Mode => modes.some((mode) => mode === text)

// libpq accepts `ssl=true` as `sslmode=require`.
const readModeParameter = ({ searchParams }: URL) => {
  const ssl = searchParams.get('ssl')
  return searchParams.get('sslmode') ?? (ssl === 'true' ? 'require' : ssl)
}

const certificateParameters = ['sslrootcert', 'sslcert', 'sslkey', 'sslcrl', 'sslcrldir', 'sslpassword']

// The drivers would connect to different servers, or replace the options for TLS.
const conflictingParameters = ['host', 'hostaddr', 'port', 'sslnegotiation', 'uselibpqcompat']

/** Describes what is wrong with the TLS parameters of a database URL; null if they are valid. */
export const findTlsParameterError = (databaseUrl: string): string | null => {
  const url = new URL(databaseUrl)
  const mode = readModeParameter(url)
  if (mode !== null && !isMode(mode)) return `must have one of these values of sslmode: ${modes.join(', ')}`
  const certificate = certificateParameters.find((name) => url.searchParams.has(name))
  if (certificate) return `must not contain ${certificate}: set DATABASE_CA to the path of a CA bundle`
  const conflicting = conflictingParameters.find((name) => url.searchParams.has(name))
  return conflicting === undefined ? null : `must not contain the parameter ${conflicting}`
}

/** Whether the URL asks for `verify-ca`, which means nothing with CAs that sign certificates for anyone. */
export const requiresDatabaseCa = (databaseUrl: string) =>
  readModeParameter(new URL(databaseUrl)) === 'verify-ca'

// Both drivers read PGHOST if the URL has no host.
const readHost = ({ hostname }: URL) =>
  decodeURIComponent(hostname || process.env.PGHOST || 'localhost').replace(/^\[(.*)\]$/, '$1')

// Connections to these never leave the machine: socket folders and loopback addresses.
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
  // As in libpq, `require` verifies the certificate if there is a CA to verify it with.
  const verifiesCa = mode === 'verify-ca' || (mode === 'require' && ca !== undefined)
  return verifiesCa
    ? { rejectUnauthorized: true, checkServerIdentity: () => undefined, ...trusted }
    : { rejectUnauthorized: false }
}

/**
 * Resolves how to encrypt connections to a database: by the `sslmode` of its URL with the meaning of libpq, except that
 * `allow` is treated as `prefer`. Without it, the certificate of every host but this one is verified. `ca` is a bundle
 * of certificates as PEM; the default is Node's.
 */
export const resolveDatabaseTls = (databaseUrl: string, ca: string | undefined): DatabaseTls => {
  const url = new URL(databaseUrl)
  const mode = readMode(url)
  const tls = createTlsOptions(mode, url, ca)
  // One of the drivers would send `channel_binding` to the server, which rejects it.
  for (const name of ['sslmode', 'ssl', 'channel_binding'])
    if (url.searchParams.has(name)) url.searchParams.delete(name)
  return { url: url.href, tls, isOptional: mode === 'allow' || mode === 'prefer' }
}

/** The URL and the `ssl` option of postgres.js. */
export const createPostgresJsTls = (databaseUrl: string, ca: string | undefined) => {
  const { url, tls, isOptional } = resolveDatabaseTls(databaseUrl, ca)
  return { url, ssl: isOptional ? ('prefer' as const) : tls }
}
