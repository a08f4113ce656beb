// Optimized: see "GET of 1 KiB, 32 connections" in bench/README.md.
import type { Dispatcher } from 'undici'

interface DecodedName {
  readonly bytes: Buffer
  /** In the case that the core uses. */
  readonly name: string
  readonly lowerCase: string
}

export type ParsedHeaders = Readonly<Record<string, string | string[] | undefined>>

const cacheSlots = 512
const cachedNames: (DecodedName | undefined)[] = Array.from({ length: cacheSlots })

const areEqual = (a: Buffer, b: Buffer) => {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false
  return true
}

// A core repeats a few dozen names, so each is decoded once; names that share a slot are decoded again.
const decodeName = (bytes: Buffer): DecodedName => {
  const { length } = bytes
  const slot =
    (length * 31 + (bytes[0] ?? 0) * 7 + (bytes[length - 1] ?? 0) * 13 + (bytes[length >> 1] ?? 0)) %
    cacheSlots
  const found = cachedNames[slot]
  if (found !== undefined && areEqual(found.bytes, bytes)) return found
  const name = bytes.toString('latin1')
  const added = { bytes: Buffer.from(bytes), name, lowerCase: name.toLowerCase() }
  cachedNames[slot] = added
  return added
}

// undici provides HTTP/1.1 headers as buffers; the other shapes of the type are those of HTTP/2, which is disabled.
const isBuffers = (raw: NonNullable<Dispatcher.DispatchController['rawHeaders']>): raw is Buffer[] =>
  Array.isArray(raw) && (raw.length === 0 || raw[0] instanceof Buffer)

/**
 * The headers of a response as a flat list in their order, case and number, each byte one character. `parsed` are the
 * same headers parsed by undici: with decoded values, but with lower-case names and duplicates joined in arrays.
 */
export const readRawHeaders = (
  { rawHeaders }: Dispatcher.DispatchController,
  parsed: ParsedHeaders,
): string[] => {
  const raw = rawHeaders ?? []
  if (!isBuffers(raw)) throw new TypeError('the response of the core is not HTTP/1.1')
  const headers: string[] = []
  for (let index = 0; index < raw.length; index += 2) {
    const bytes = raw[index]
    if (!bytes) break
    const { name, lowerCase } = decodeName(bytes)
    const value = parsed[lowerCase]
    if (typeof value !== 'string') return raw.map((part) => part.toString('latin1'))
    headers.push(name, value)
  }
  return headers
}
