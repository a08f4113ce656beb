import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { createWriteStream } from 'node:fs'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector, Client, type Dispatcher, errors } from 'undici'
import { type StemDownloadPort, StemRejectedError } from '../ports.ts'
import { RetryLaterError } from '../retry-later-error.ts'

// RFC 4291, section 2.4 and the IANA registry: all global unicast addresses come from this block. ipaddr.js also
// calls unassigned ones unicast, including the deprecated IPv4-compatible `::127.0.0.1`.
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether the public Internet routes to this IP address. Addresses that wrap an IPv4 address (IPv4-mapped, NAT64, 6to4,
 * Teredo) never count as public, because the local network decides which host they reach.
 */
export const isPublicAddress = (text: string) => {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast)
}

export interface StemDownloadOptions {
  /** Origins that may use http and private addresses. All others must be public and use https. */
  readonly allowedOrigins: readonly string[]
  readonly maxBytes: number
  readonly resolveHost?: (host: string) => Promise<readonly LookupAddress[]>
  readonly createConnector?: typeof buildConnector
  readonly connectTimeoutMs?: number
  readonly headersTimeoutMs?: number
  /** The longest allowed pause between two chunks. */
  readonly bodyTimeoutMs?: number
  /** Limit for the whole download, so a server that sends one byte at a time cannot block a worker. */
  readonly totalTimeoutMs?: number
}

const resolveWithSystem = (host: string) => lookup(host, { all: true })

/**
 * Creates a lookup that always returns the checked addresses, because a second DNS query could return different ones.
 */
const createPinnedLookup =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_hostname, { all }, callback) => {
    const [first] = addresses
    if (all || !first) callback(null, [...addresses])
    else callback(null, first.address, first.family)
  }

const isEncoded = ({ 'content-encoding': encoding = 'identity' }: Dispatcher.StreamFactoryData['headers']) =>
  String(encoding).toLowerCase() !== 'identity'

// Any other status below 500 is a permanent failure of this URL, for example because it has expired.
const temporaryStatuses: ReadonlySet<number> = new Set([408, 425, 429])

const createStatusError = (status: number) => {
  const message = `a stem download returned status ${status}`
  return status >= 500 || temporaryStatuses.has(status)
    ? new RetryLaterError('stems_unavailable', message)
    : new Error(message)
}

// If the stem cannot be written to disk, the error names a different system call.
const isConnectionError = (error: unknown) =>
  error instanceof errors.UndiciError ||
  (error instanceof Error && error.name === 'TimeoutError') ||
  (error instanceof Error && 'syscall' in error && (error.syscall === 'connect' || error.syscall === 'read'))

/** Downloads stems with undici, which by itself follows no redirects and decodes no content encodings. */
export const createStemDownload = (options: StemDownloadOptions): StemDownloadPort => {
  const { maxBytes, resolveHost = resolveWithSystem, createConnector = buildConnector } = options
  const { connectTimeoutMs = 10_000, headersTimeoutMs = 30_000, bodyTimeoutMs = 30_000 } = options
  const { totalTimeoutMs = 15 * 60_000 } = options
  const allowedOrigins = new Set(options.allowedOrigins)

  const resolvePublicHost = async (url: URL) => {
    const addresses = await resolveHost(url.hostname.replace(/^\[|\]$/g, '')).catch((cause) => {
      throw new RetryLaterError('stems_unavailable', 'the host of a stem URL was not found', { cause })
    })
    if (addresses.length === 0) throw new Error('the host of a stem URL has no address')
    if (!addresses.every(({ address }) => isPublicAddress(address)))
      throw new StemRejectedError('destination_not_allowed', url.href)
    return addresses
  }

  const selectConnector = async (url: URL) => {
    // undici enforces `maxResponseSize` for HTTP/2 as well, but one protocol gives a hostile server less to attack.
    const common = { allowH2: false, timeout: connectTimeoutMs }
    if (url.username !== '' || url.password !== '')
      throw new StemRejectedError('destination_not_allowed', url.href)
    if (allowedOrigins.has(url.origin)) return createConnector(common)
    // Other ports of a public address may belong to internal services.
    if (url.protocol !== 'https:' || url.port !== '')
      throw new StemRejectedError('destination_not_allowed', url.href)
    return createConnector({ ...common, lookup: createPinnedLookup(await resolvePublicHost(url)) })
  }

  const requireAcceptable = (url: URL, { statusCode, headers }: Dispatcher.StreamFactoryData) => {
    if (statusCode >= 300 && statusCode < 400) throw new StemRejectedError('redirected', url.href)
    if (statusCode !== 200) throw createStatusError(statusCode)
    // The size limit counts bytes as received. Encoded bodies are rejected, because their stored size would differ.
    if (isEncoded(headers)) throw new StemRejectedError('content_encoded', url.href)
    if (Number(headers['content-length']) > maxBytes) throw new StemRejectedError('too_large', url.href)
  }

  return {
    async download(stemUrl, path, signal) {
      const url = URL.parse(stemUrl)
      if (!url) throw new StemRejectedError('destination_not_allowed', stemUrl)
      const client = new Client(url.origin, {
        connect: await selectConnector(url),
        headersTimeout: headersTimeoutMs,
        bodyTimeout: bodyTimeoutMs,
        maxResponseSize: maxBytes,
      })
      try {
        await client.stream(
          {
            method: 'GET',
            path: url.pathname + url.search,
            headers: { 'accept-encoding': 'identity' },
            signal: AbortSignal.any([signal, AbortSignal.timeout(totalTimeoutMs)]),
          },
          (response) => {
            requireAcceptable(url, response)
            return createWriteStream(path)
          },
        )
      } catch (error) {
        if (error instanceof errors.ResponseExceededMaxSizeError)
          throw new StemRejectedError('too_large', url.href)
        if (!isConnectionError(error)) throw error
        throw new RetryLaterError('stems_unavailable', 'a stem download failed', { cause: error })
      } finally {
        await client.destroy()
      }
    },
  }
}
