import type { Dispatcher } from 'undici'

interface KnownName {
  readonly bytes: Buffer
  readonly name: string
}

const slots = 512
const known: (KnownName | undefined)[] = Array.from({ length: slots })

const equal = (a: Buffer, b: Buffer) => {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}

// A core repeats a few dozen names: each is decoded once, in the case it is written in. A string that lives on is
// also cheaper to compare, to look up and to write than one cut out of a head. Collisions only decode again.
const nameOf = (bytes: Buffer): string => {
  const { length } = bytes
  const slot =
    (length * 31 + (bytes[0] ?? 0) * 7 + (bytes[length - 1] ?? 0) * 13 + (bytes[length >> 1] ?? 0)) % slots
  const found = known[slot]
  if (found !== undefined && equal(found.bytes, bytes)) return found.name
  const name = bytes.toString('latin1')
  known[slot] = { bytes: Buffer.from(bytes), name }
  return name
}

// The values of a head that came in one piece lie in one buffer: decoded at once, they are cut out of one string.
const valuesFromOneString = (raw: readonly Buffer[], first: Buffer, last: Buffer): string[] | null => {
  const memory = first.buffer
  const start = first.byteOffset
  const text = Buffer.from(memory, start, last.byteOffset + last.length - start).toString('latin1')
  const headers: string[] = []
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]
    const value = raw[at + 1]
    if (!name || value?.buffer !== memory) return null
    const from = value.byteOffset - start
    if (from < 0 || from + value.length > text.length) return null
    headers.push(nameOf(name), text.slice(from, from + value.length))
  }
  return headers
}

const lieInOneBuffer = (first: Buffer, last: Buffer) =>
  first.buffer === last.buffer && first.byteOffset <= last.byteOffset

// HTTP/1.1 hands its headers out as buffers; the other shapes of the type are those of HTTP/2, which is off.
const isBuffers = (raw: NonNullable<Dispatcher.DispatchController['rawHeaders']>): raw is Buffer[] =>
  Array.isArray(raw) && (raw.length === 0 || raw[0] instanceof Buffer)

/** The headers of an answer as a flat list, each byte one character. */
export const rawHeadersOf = (controller: Dispatcher.DispatchController): string[] => {
  const raw = controller.rawHeaders ?? []
  if (!isBuffers(raw)) throw new TypeError('the core answered in another protocol than HTTP/1.1')
  const first = raw[0]
  const last = raw.at(-1)
  if (!first || !last) return []
  const cut = lieInOneBuffer(first, last) ? valuesFromOneString(raw, first, last) : null
  return cut ?? raw.map((part) => part.toString('latin1'))
}
