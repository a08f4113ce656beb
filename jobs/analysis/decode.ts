import { createReadStream } from 'node:fs'
import { decodeChunked } from 'audio-decode'
import { LimitExceededError } from './limit-exceeded-error.ts'
import type { MediaFamily } from './media-family.ts'
import { readMp4Head } from './mp4-head.ts'
import { readAsPlainWav } from './plain-wav.ts'
import { splitIntoPieces } from './split-into-pieces.ts'

type DecodedFormat = Parameters<typeof decodeChunked>[1]

const chunkBytes = 65_536
// A constant FLAC frame encodes 65,535 samples for each of 8 channels in 26 bytes: a piece of this size expands to 80
// MB.
const pieceBytes = 1024
// Uncompressed samples do not expand.
const uncompressedPieceBytes = 8192
const uncompressedFamilies: readonly MediaFamily[] = ['wav', 'rf64', 'aiff']
// Large enough for embedded cover images; the memory limit of an analysis is several times larger.
const maxHeadBytes = 64 * 1024 * 1024

const formats: Readonly<Record<Exclude<MediaFamily, 'ogg'>, DecodedFormat>> = {
  mp3: 'mp3',
  wav: 'wav',
  rf64: 'wav',
  flac: 'flac',
  aiff: 'aiff',
  mp4: 'm4a',
  aac: 'aac',
  webm: 'webm',
}

const selectFormat = (family: MediaFamily, codec: string): DecodedFormat => {
  if (family !== 'ogg') return formats[family]
  if (/opus/i.test(codec)) return 'opus'
  return /flac/i.test(codec) ? 'flac' : 'oga'
}

const readFrom = (path: string, start: number) => createReadStream(path, { start, highWaterMark: chunkBytes })

async function* readPieces(path: string, family: MediaFamily, headBytes: number) {
  if (family === 'mp4') {
    const { head, continueAt } = await readMp4Head(path)
    yield new Uint8Array(head.buffer, head.byteOffset, head.byteLength)
    yield* splitIntoPieces(readFrom(path, continueAt), { headBytes: 0, pieceBytes })
    return
  }
  if (headBytes > maxHeadBytes) throw new LimitExceededError('the data before the audio exceeds 64 MiB')
  const source = family === 'rf64' ? readAsPlainWav(path) : readFrom(path, 0)
  const isUncompressed = uncompressedFamilies.includes(family)
  yield* splitIntoPieces(source, {
    headBytes,
    pieceBytes: isUncompressed ? uncompressedPieceBytes : pieceBytes,
    keepFlacHeadersWhole: family === 'flac',
  })
}

/**
 * Decodes a file block by block, so that only a few seconds of samples are in memory at a time. `headBytes` is the
 * number of bytes before the audio.
 */
export const decodeFile = (path: string, family: MediaFamily, codec: string, headBytes: number) =>
  decodeChunked(readPieces(path, family, headBytes), selectFormat(family, codec))
