import type { Bytes } from './audio-files.ts'

export const box = (type: string, ...content: readonly Buffer[]) => {
  const body = Buffer.concat(content)
  const header = Buffer.alloc(8)
  header.writeUInt32BE(body.length + 8)
  header.write(type, 4, 'latin1')
  return Buffer.concat([header, body])
}

const uint32 = (...values: readonly number[]) => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}

const ftyp = box('ftyp', Buffer.from('M4A '), uint32(0), Buffer.from('M4A isom'))

const sampleDescription = (channels: number) => {
  const entry = Buffer.alloc(28)
  entry.writeUInt16BE(1, 6)
  entry.writeUInt16BE(channels, 16)
  entry.writeUInt16BE(16, 18)
  entry.writeUInt16BE(44_100, 24)
  return box('stsd', uint32(0, 1), box('sowt', entry))
}

interface TrackOptions {
  readonly channels?: number
  /** The size of every sample. `sampleCount` says how many there are. */
  readonly sampleSize: number
  readonly sampleCount: number
  /** The offsets of the audio chunks, each with one sample. */
  readonly chunks: readonly number[]
  readonly declaredSamples?: number
}

/** The index of an MP4 file with one track of 16-bit samples. */
export const moov = ({
  channels = 1,
  sampleSize,
  sampleCount,
  chunks,
  declaredSamples = 44_100,
}: TrackOptions) => {
  const handler = Buffer.concat([uint32(0, 0), Buffer.from('soun'), Buffer.alloc(13)])
  const tables = box(
    'stbl',
    sampleDescription(channels),
    box('stts', uint32(0, 1, sampleCount, 1)),
    box('stsc', uint32(0, 1, 1, 1, 1)),
    box('stsz', uint32(0, sampleSize, sampleCount)),
    box('stco', uint32(0, chunks.length, ...chunks)),
  )
  const media = box(
    'mdia',
    box('mdhd', uint32(0, 0, 0, 44_100, declaredSamples, 0)),
    box('hdlr', handler),
    box('minf', box('smhd', uint32(0, 0)), tables),
  )
  const header = Buffer.alloc(84)
  header.writeUInt32BE(1, 12)
  return box('moov', box('trak', box('tkhd', header), media))
}

export const mp4 = (...boxes: readonly Buffer[]): Bytes => new Uint8Array(Buffer.concat([ftyp, ...boxes]))

/** A small file that a decoder expands to two gigabytes, because all its chunks refer to the same bytes. */
export const overlappingMp4 = (): Bytes => {
  const count = 16_384
  const index = moov({
    sampleSize: 65_536,
    sampleCount: count,
    chunks: Array.from({ length: count }, () => 0),
  })
  return mp4(index, box('mdat', Buffer.alloc(65_536)))
}
