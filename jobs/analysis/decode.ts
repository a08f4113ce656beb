import { createReadStream } from 'node:fs'
import { decoder as createWavDecoder } from '@audio/decode-wav'
import { type ChunkedSound, createHeader } from './chunked-file.ts'
import type { AudioBlock } from './measure-blocks.ts'
import type { PcmEncoding } from './sound-format.ts'

type ReadSample = (view: DataView, at: number) => number

const readInt24Le: ReadSample = (view, at) => (view.getInt8(at + 2) << 16) | view.getUint16(at, true)
const readInt24Be: ReadSample = (view, at) => (view.getInt8(at) << 16) | view.getUint16(at + 1)

const readALaw = (byte: number) => {
  const code = byte ^ 0x55
  const [segment, rest] = [(code >> 4) & 7, ((code & 0x0f) << 4) + 8]
  const magnitude = segment === 0 ? rest : (rest + 256) << (segment - 1)
  return code & 0x80 ? magnitude : -magnitude
}

const readMuLaw = (byte: number) => {
  const code = ~byte & 0xff
  const magnitude = ((((code & 0x0f) << 3) + 132) << ((code >> 4) & 7)) - 132
  return code & 0x80 ? -magnitude : magnitude
}

// ITU-T G.711: each byte stands for one of 256 levels.
const createLevels = (readLevel: (byte: number) => number) =>
  Float32Array.from({ length: 256 }, (_, byte) => readLevel(byte) / 32_768)
const aLawLevels = createLevels(readALaw)
const muLawLevels = createLevels(readMuLaw)

const readers: Readonly<Record<PcmEncoding, ReadSample>> = {
  u8: (view, at) => (view.getUint8(at) - 128) / 128,
  s8: (view, at) => view.getInt8(at) / 128,
  alaw: (view, at) => aLawLevels[view.getUint8(at)] ?? 0,
  mulaw: (view, at) => muLawLevels[view.getUint8(at)] ?? 0,
  s16le: (view, at) => view.getInt16(at, true) / 32_768,
  s16be: (view, at) => view.getInt16(at) / 32_768,
  s24le: (view, at) => readInt24Le(view, at) / 8_388_608,
  s24be: (view, at) => readInt24Be(view, at) / 8_388_608,
  s32le: (view, at) => view.getInt32(at, true) / 2_147_483_648,
  s32be: (view, at) => view.getInt32(at) / 2_147_483_648,
  f32le: (view, at) => view.getFloat32(at, true),
  f32be: (view, at) => view.getFloat32(at),
  f64le: (view, at) => view.getFloat64(at, true),
  f64be: (view, at) => view.getFloat64(at),
}

export const decodePcm = (bytes: Uint8Array, pcm: PcmEncoding, channels: number, blockBytes: number) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const frames = Math.floor(bytes.length / blockBytes)
  const read = readers[pcm]
  return Array.from({ length: channels }, (_, channel) => {
    const samples = new Float32Array(frames)
    for (let frame = 0, at = (channel * blockBytes) / channels; frame < frames; frame++, at += blockBytes)
      samples[frame] = read(view, at)
    return samples
  })
}

const chunkBytes = 65_536
// Small, because one ADPCM block can declare 65,535 samples. Uncompressed samples do not grow when decoded.
const adpcmPieceBytes = 8192
const adpcmTags = new Set<number | string>([0x02, 0x11])

const readSamples = (path: string, { start, end }: ChunkedSound, highWaterMark = chunkBytes) =>
  // A read stream's end is inclusive.
  createReadStream(path, { start, end: end - 1, highWaterMark })

async function* decodeFrames(path: string, sound: ChunkedSound): AsyncGenerator<AudioBlock> {
  const { pcm, channels, blockBytes, sampleRate } = sound.format
  let pending: Buffer = Buffer.alloc(0)
  for await (const chunk of readSamples(path, sound)) {
    const bytes: Buffer = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk
    const wholeBytes = bytes.length - (bytes.length % blockBytes)
    if (pcm)
      yield { channelData: decodePcm(bytes.subarray(0, wholeBytes), pcm, channels, blockBytes), sampleRate }
    pending = bytes.subarray(wholeBytes)
  }
}

async function* decodeAdpcm(path: string, sound: ChunkedSound): AsyncGenerator<AudioBlock> {
  const decoder = createWavDecoder()
  yield decoder.decode(new Uint8Array(createHeader(sound)))
  for await (const piece of readSamples(path, sound, adpcmPieceBytes)) yield decoder.decode(piece)
  yield decoder.flush()
}

export async function* readAsFile(path: string, sound: ChunkedSound): AsyncGenerator<Buffer> {
  if (!sound.format.pcm) yield createHeader(sound)
  yield* readSamples(path, sound)
}

/** Returns null if only ffmpeg can decode them. */
export const decodeSound = (path: string, sound: ChunkedSound): AsyncIterable<AudioBlock> | null => {
  const { pcm, codec, blockBytes } = sound.format
  if (pcm) return decodeFrames(path, sound)
  return adpcmTags.has(codec) && blockBytes > 0 ? decodeAdpcm(path, sound) : null
}
