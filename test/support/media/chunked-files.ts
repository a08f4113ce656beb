import type { Bytes } from './audio-files.ts'

export const containers = ['RIFF', 'RF64', 'BW64', 'RIFX', 'W64', 'AIFF', 'AIFC'] as const
export type Container = (typeof containers)[number]

/** A chunk to write. Its size and padding may be wrong. */
export interface Piece {
  readonly id: string
  readonly body: Buffer
  /** The size in the header; by default, the body's size. */
  readonly size?: number
  /** Whether the body is padded to the container's alignment. Defaults to true. */
  readonly isPadded?: boolean
}

export const isAiff = (container: Container) => container === 'AIFF' || container === 'AIFC'
const isBigEndian = (container: Container) => isAiff(container) || container === 'RIFX'

// Sony Wave64 uses the ids of WAV inside GUIDs.
const guidTails: Readonly<Record<string, string>> = { riff: '2e91cf11a5d628db04c10000' }
const guid = (id: string) =>
  Buffer.concat([Buffer.from(id, 'latin1'), Buffer.from(guidTails[id] ?? 'f3acd3118cd100c04f8edb8a', 'hex')])

const number = (container: Container, bytes: number, value: number) => {
  const buffer = Buffer.alloc(bytes)
  if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value))
  else if (isBigEndian(container)) buffer.writeUIntBE(value, 0, bytes)
  else buffer.writeUIntLE(value, 0, bytes)
  return buffer
}

const writeChunk = (container: Container, { id, body, size = body.length, isPadded = true }: Piece) => {
  const isW64 = container === 'W64'
  const header = isW64
    ? [guid(id), number(container, 8, size + 24)]
    : [Buffer.from(id, 'latin1'), number(container, 4, size)]
  const alignment = isW64 ? 8 : 2
  const padding = isPadded
    ? Buffer.alloc((alignment - (body.length % alignment)) % alignment)
    : Buffer.alloc(0)
  return Buffer.concat([...header, body, padding])
}

/** Writes a file of chunks. `size` is what its header says; by default, the correct size. */
export const writeContainer = (container: Container, pieces: readonly Piece[], size?: number): Bytes => {
  const chunks = Buffer.concat(pieces.map((piece) => writeChunk(container, piece)))
  if (container === 'W64')
    return new Uint8Array(
      Buffer.concat([guid('riff'), number(container, 8, size ?? chunks.length + 40), guid('wave'), chunks]),
    )
  const [signature, type] = isAiff(container) ? ['FORM', container] : [container, 'WAVE']
  const header = [Buffer.from(signature), number(container, 4, size ?? chunks.length + 4), Buffer.from(type)]
  return new Uint8Array(Buffer.concat([...header, chunks]))
}

export const encodings = ['int8', 'int16', 'int24', 'int32', 'float32', 'float64'] as const
export type Encoding = (typeof encodings)[number]

const bytesOf = (encoding: Encoding) => Number(/\d+/.exec(encoding)?.[0]) / 8

/** The AIFF-C compression types for uncompressed samples. */
const compressions: Readonly<Record<Encoding, string>> = {
  int8: 'NONE',
  int16: 'NONE',
  int24: 'NONE',
  int32: 'NONE',
  float32: 'fl32',
  float64: 'fl64',
}

/** Encodes interleaved 8-bit samples, from -128 to 127, which every encoding can represent exactly. */
export const encodeSamples = (
  container: Container,
  encoding: Encoding,
  samples: readonly number[],
  isLittleEndian = !isBigEndian(container),
) => {
  const bytes = bytesOf(encoding)
  const view = new DataView(new ArrayBuffer(samples.length * bytes))
  for (const [index, sample] of samples.entries()) {
    const at = index * bytes
    if (encoding === 'float32') view.setFloat32(at, sample / 128, isLittleEndian)
    else if (encoding === 'float64') view.setFloat64(at, sample / 128, isLittleEndian)
    // Only AIFF stores 8-bit samples as signed.
    else if (encoding === 'int8') view.setUint8(at, isAiff(container) ? sample & 0xff : sample + 128)
    else view.setInt8(isLittleEndian ? at + bytes - 1 : at, sample)
  }
  return Buffer.from(view.buffer)
}

interface Format {
  readonly encoding: Encoding
  readonly channels: number
  readonly sampleRate: number
  readonly frames?: number
  readonly compression?: string
}

// An exponent and a 64-bit mantissa, whose first bit is always set.
const float80 = (value: number) => {
  const exponent = Math.floor(Math.log2(value))
  const buffer = Buffer.alloc(10)
  buffer.writeUInt16BE(exponent + 16_383)
  buffer.writeBigUInt64BE(BigInt(value * 2 ** (52 - exponent)) << 11n, 2)
  return buffer
}

export const formatPiece = (container: Container, format: Format): Piece => {
  const { encoding, channels, sampleRate, frames = 0, compression = compressions[encoding] } = format
  const bytes = bytesOf(encoding)
  const uint = (size: number, value: number) => number(container, size, value)
  if (isAiff(container)) {
    const type = container === 'AIFC' ? [Buffer.from(compression), Buffer.alloc(2)] : []
    const common = [uint(2, channels), uint(4, frames), uint(2, bytes * 8), float80(sampleRate)]
    return { id: 'COMM', body: Buffer.concat([...common, ...type]) }
  }
  const body = [
    uint(2, encoding.startsWith('float') ? 3 : 1),
    uint(2, channels),
    uint(4, sampleRate),
    uint(4, sampleRate * channels * bytes),
    uint(2, channels * bytes),
    uint(2, bytes * 8),
  ]
  return { id: 'fmt ', body: Buffer.concat(body) }
}

/** The chunk with the samples. AIFF has a gap before them. */
export const soundPiece = (container: Container, sound: Buffer, gap = 0): Piece =>
  isAiff(container)
    ? { id: 'SSND', body: Buffer.concat([number(container, 4, gap), Buffer.alloc(4 + gap), sound]) }
    : { id: 'data', body: sound }

/** The RF64 and BW64 chunk with the 64-bit sizes. */
export const ds64Piece = (soundBytes: number): Piece => {
  const body = Buffer.alloc(28)
  body.writeBigUInt64LE(BigInt(soundBytes), 8)
  return { id: 'ds64', body }
}

export const id3Tag = (genre: string) => {
  const frame = Buffer.concat([Buffer.from('TCON\0\0\0\0\0\0'), Buffer.from(`\0${genre}`, 'latin1')])
  frame.writeUInt32BE(genre.length + 1, 4)
  const header = Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1')
  header[8] = frame.length >> 7
  header[9] = frame.length & 0x7f
  return Buffer.concat([header, frame])
}
