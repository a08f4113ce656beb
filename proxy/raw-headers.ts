import type { Dispatcher } from 'undici'

const latin1 = (bytes: Buffer) => bytes.toString('latin1')

const shareOneBuffer = (raw: readonly Buffer[], first: Buffer, last: Buffer) =>
  last.byteOffset >= first.byteOffset && raw.every((part) => part.buffer === first.buffer)

// A head that came in one piece lies in one buffer: decoded at once, its parts are cut out of one string.
const cutFromOneString = (raw: readonly Buffer[], first: Buffer, last: Buffer) => {
  const start = first.byteOffset
  const text = Buffer.from(first.buffer, start, last.byteOffset + last.length - start).toString('latin1')
  return raw.map((part) => text.slice(part.byteOffset - start, part.byteOffset - start + part.length))
}

const decode = (raw: readonly Buffer[]) => {
  const first = raw[0]
  const last = raw.at(-1)
  if (!first || !last) return []
  return shareOneBuffer(raw, first, last) ? cutFromOneString(raw, first, last) : raw.map(latin1)
}

// HTTP/1.1 hands its headers out as buffers; the other shapes of the type are those of HTTP/2, which is off.
const isBuffers = (raw: NonNullable<Dispatcher.DispatchController['rawHeaders']>): raw is Buffer[] =>
  Array.isArray(raw) && (raw.length === 0 || raw[0] instanceof Buffer)

/** The headers of an answer as a flat list, each byte one character. */
export const rawHeadersOf = (controller: Dispatcher.DispatchController): string[] => {
  const raw = controller.rawHeaders ?? []
  if (!isBuffers(raw)) throw new TypeError('the core answered in another protocol than HTTP/1.1')
  return decode(raw)
}
