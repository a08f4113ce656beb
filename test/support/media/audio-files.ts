import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export type Bytes = Uint8Array<ArrayBuffer>

export const readMediaFile = async (name: string): Promise<Bytes> =>
  new Uint8Array(await readFile(join(import.meta.dirname, name)))

/** Creates a sine of this frequency: a function from the time in seconds to the amplitude. */
export const sine = (hertz: number, amplitude: number) => (seconds: number) =>
  amplitude * Math.sin(2 * Math.PI * hertz * seconds)

interface SampleFormat {
  /** The WAVE format tag: 1 is PCM, 3 is IEEE float. */
  readonly tag: 1 | 3
  readonly bytes: number
  readonly write: (view: DataView, at: number, sample: number) => void
}

const sampleFormats = {
  int16: {
    tag: 1,
    bytes: 2,
    write: (view, at, sample) => view.setInt16(at, Math.round(sample * 32_767), true),
  },
  int32: {
    tag: 1,
    bytes: 4,
    write: (view, at, sample) => view.setInt32(at, Math.round(sample * 2_147_483_647), true),
  },
  float32: { tag: 3, bytes: 4, write: (view, at, sample) => view.setFloat32(at, sample, true) },
  float64: { tag: 3, bytes: 8, write: (view, at, sample) => view.setFloat64(at, sample, true) },
} satisfies Record<string, SampleFormat>

export interface WavOptions {
  readonly seconds?: number
  readonly sampleRate?: number
  readonly channels?: number
  /** The value of a channel's sample at the given time, from -1 to 1. */
  readonly sampleAt?: (seconds: number, channel: number) => number
  /** Formats other than int16 have an extended header, after which samples are not aligned to four bytes. */
  readonly samples?: keyof typeof sampleFormats
}

const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const chunk = (id: string, body: Buffer) => Buffer.concat([Buffer.from(id), uint32(body.length), body])

export const wav = (options: WavOptions = {}): Bytes => {
  const {
    seconds = 1,
    sampleRate = 8000,
    channels = 1,
    sampleAt = sine(440, 0.5),
    samples = 'int16',
  } = options
  const { tag, bytes, write } = sampleFormats[samples]
  const frames = Math.round(seconds * sampleRate)
  const format = Buffer.alloc(samples === 'int16' ? 16 : 18)
  format.writeUInt16LE(tag, 0)
  format.writeUInt16LE(channels, 2)
  format.writeUInt32LE(sampleRate, 4)
  format.writeUInt32LE(sampleRate * channels * bytes, 8)
  format.writeUInt16LE(channels * bytes, 12)
  format.writeUInt16LE(bytes * 8, 14)
  const sound = new DataView(new ArrayBuffer(frames * channels * bytes))
  for (let frame = 0; frame < frames; frame++)
    for (let channel = 0; channel < channels; channel++)
      write(sound, (frame * channels + channel) * bytes, sampleAt(frame / sampleRate, channel))
  const chunks = [
    Buffer.from('WAVE'),
    chunk('fmt ', format),
    ...(tag === 3 ? [chunk('fact', uint32(frames))] : []),
    chunk('data', Buffer.from(sound.buffer)),
  ]
  return new Uint8Array(chunk('RIFF', Buffer.concat(chunks)))
}

export const toRf64 = (file: Bytes, mark = 'RF64'): Bytes => {
  const [riff, chunks] = [Buffer.from(file.subarray(0, 12)), Buffer.from(file.subarray(12))]
  const sizeAt = chunks.indexOf('data') + 4
  const sizes = Buffer.alloc(28)
  sizes.writeBigUInt64LE(BigInt(file.length + 28), 0)
  sizes.writeBigUInt64LE(BigInt(chunks.readUInt32LE(sizeAt)), 8)
  riff.write(mark)
  riff.writeUInt32LE(0xffff_ffff, 4)
  chunks.writeUInt32LE(0xffff_ffff, sizeAt)
  if (chunks.includes('fact')) chunks.writeUInt32LE(0xffff_ffff, chunks.indexOf('fact') + 8)
  return new Uint8Array(Buffer.concat([riff, chunk('ds64', sizes), chunks]))
}
