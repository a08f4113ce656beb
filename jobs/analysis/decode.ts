import { createReadStream } from 'node:fs'
import { decodeChunked } from 'audio-decode'
import { readIndexFirst } from './index-first.ts'
import type { MediaFamily } from './media-family.ts'
import { readAsPlainWav } from './plain-wav.ts'

type Format = Parameters<typeof decodeChunked>[1]

const chunkBytes = 65_536

const formats: Readonly<Record<Exclude<MediaFamily, 'ogg'>, Format>> = {
  mp3: 'mp3',
  wav: 'wav',
  rf64: 'wav',
  flac: 'flac',
  aiff: 'aiff',
  mp4: 'm4a',
  aac: 'aac',
  webm: 'webm',
}

const formatOf = (family: MediaFamily, codec: string): Format => {
  if (family !== 'ogg') return formats[family]
  if (/opus/i.test(codec)) return 'opus'
  return /flac/i.test(codec) ? 'flac' : 'oga'
}

// The decoders align samples by `slice()`, which copies the bytes of a Uint8Array and does not copy those of a Buffer.
async function* plainBytes(source: AsyncIterable<Uint8Array>) {
  for await (const { buffer, byteOffset, byteLength } of source)
    yield new Uint8Array(buffer, byteOffset, byteLength)
}

const bytesOf = (path: string, family: MediaFamily) => {
  if (family === 'mp4') return readIndexFirst(path)
  if (family === 'rf64') return readAsPlainWav(path)
  return createReadStream(path, { highWaterMark: chunkBytes })
}

/** The samples of a file block by block, so that no more of it is in memory than a few seconds. */
export const decodeFile = (path: string, family: MediaFamily, codec: string) =>
  decodeChunked(plainBytes(bytesOf(path, family)), formatOf(family, codec))
