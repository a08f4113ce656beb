import { createReadStream } from 'node:fs'
import { decoder as createWavDecoder } from '@audio/decode-wav'
import { createHeader } from './canonical-header.ts'
import type { ChunkedSound } from './chunked-file.ts'
import type { AudioBlock } from './measure-blocks.ts'
import { decodePcm } from './pcm.ts'

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

/** A header precedes them if they are compressed. */
export async function* readAsFile(path: string, sound: ChunkedSound): AsyncGenerator<Buffer> {
  if (!sound.format.pcm) yield createHeader(sound)
  yield* readSamples(path, sound)
}

/** Decodes samples block by block, with only a few seconds in memory. Returns null if only ffmpeg can decode them. */
export const decodeSound = (path: string, sound: ChunkedSound): AsyncIterable<AudioBlock> | null => {
  const { pcm, codec, blockBytes } = sound.format
  if (pcm) return decodeFrames(path, sound)
  return adpcmTags.has(codec) && blockBytes > 0 ? decodeAdpcm(path, sound) : null
}
