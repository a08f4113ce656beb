import { createReadStream } from 'node:fs'
import { decodeChunked } from 'audio-decode'
import { readMp4Head } from './index-first.ts'
import { LimitExceeded } from './limit-exceeded.ts'
import type { MediaFamily } from './media-family.ts'
import { readAsPlainWav } from './plain-wav.ts'
import { splitIntoPieces } from './split-into-pieces.ts'

type Format = Parameters<typeof decodeChunked>[1]

const chunkBytes = 65_536
// A frame of FLAC that is constant has 65,535 samples for each of 8 channels in 26 bytes: this many give 80 MB.
const pieceBytes = 1024
// Samples that are not compressed do not expand.
const plainPieceBytes = 8192
const plainFamilies: readonly MediaFamily[] = ['wav', 'rf64', 'aiff']
// Covers of some size stand there; the memory that a file is given is several times as much.
const maxHeadBytes = 64 * 1024 * 1024

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

const readFrom = (path: string, start: number) => createReadStream(path, { start, highWaterMark: chunkBytes })

async function* readPieces(path: string, family: MediaFamily, headBytes: number) {
  if (family === 'mp4') {
    const { head, readOnFrom } = await readMp4Head(path)
    yield new Uint8Array(head.buffer, head.byteOffset, head.byteLength)
    yield* splitIntoPieces(readFrom(path, readOnFrom), { headBytes: 0, pieceBytes })
    return
  }
  if (headBytes > maxHeadBytes) throw new LimitExceeded('too much stands in front of the sound')
  const source = family === 'rf64' ? readAsPlainWav(path) : readFrom(path, 0)
  const isPlain = plainFamilies.includes(family)
  yield* splitIntoPieces(source, {
    headBytes,
    pieceBytes: isPlain ? plainPieceBytes : pieceBytes,
    keepsFlacHeaders: family === 'flac',
  })
}

/**
 * The samples of a file block by block, so that no more of it is in memory than a few seconds. `headBytes` stand in
 * front of the sound.
 */
export const decodeFile = (path: string, family: MediaFamily, codec: string, headBytes: number) =>
  decodeChunked(readPieces(path, family, headBytes), formatOf(family, codec))
