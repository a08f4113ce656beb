import type { Dispatcher } from 'undici'

interface KnownName {
  readonly bytes: Buffer
  /** As the core writes it. */
  readonly name: string
  readonly folded: string
}

export type ParsedHeaders = Readonly<Record<string, string | string[] | undefined>>

const slots = 512
const known: (KnownName | undefined)[] = Array.from({ length: slots })

const equal = (a: Buffer, b: Buffer) => {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}

// A core repeats a few dozen names, so each is decoded once; names that meet in one slot are decoded again.
const knownName = (bytes: Buffer): KnownName => {
  const { length } = bytes
  const slot =
    (length * 31 + (bytes[0] ?? 0) * 7 + (bytes[length - 1] ?? 0) * 13 + (bytes[length >> 1] ?? 0)) % slots
  const found = known[slot]
  if (found !== undefined && equal(found.bytes, bytes)) return found
  const name = bytes.toString('latin1')
  const added = { bytes: Buffer.from(bytes), name, folded: name.toLowerCase() }
  known[slot] = added
  return added
}

// HTTP/1.1 hands its headers out as buffers; the other shapes of the type are those of HTTP/2, which is off.
const isBuffers = (raw: NonNullable<Dispatcher.DispatchController['rawHeaders']>): raw is Buffer[] =>
  Array.isArray(raw) && (raw.length === 0 || raw[0] instanceof Buffer)

/**
 * The headers of an answer as a flat list in their order, case and number, each byte one character. `parsed` is what
 * undici made of them: it has every value decoded already, but has folded the names and joined duplicates in arrays.
 */
export const readRawHeaders = (
  { rawHeaders }: Dispatcher.DispatchController,
  parsed: ParsedHeaders,
): string[] => {
  const raw = rawHeaders ?? []
  if (!isBuffers(raw)) throw new TypeError('the core answered in another protocol than HTTP/1.1')
  const headers: string[] = []
  for (let at = 0; at < raw.length; at += 2) {
    const bytes = raw[at]
    if (!bytes) break
    const { name, folded } = knownName(bytes)
    const value = parsed[folded]
    if (typeof value !== 'string') return raw.map((part) => part.toString('latin1'))
    headers.push(name, value)
  }
  return headers
}
