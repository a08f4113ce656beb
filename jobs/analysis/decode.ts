import { createReadStream } from 'node:fs'
import { decoder as createAiffDecoder } from '@audio/decode-aiff'
import { decoder as createWavDecoder } from '@audio/decode-wav'
import { LimitExceededError } from './limit-exceeded-error.ts'
import type { AudioBlock } from './measure-blocks.ts'
import type { ChunkedFamily } from './media-family.ts'
import { readAsPlainWav } from './plain-wav.ts'
import { splitIntoPieces } from './split-into-pieces.ts'

const chunkBytes = 65_536
// Samples without compression do not expand, and those with ADPCM by a factor of four.
const pieceBytes = 8192
// Large enough for embedded cover images; the memory limit of an analysis is several times larger.
const maxHeadBytes = 64 * 1024 * 1024

const decoders: Readonly<Record<ChunkedFamily, typeof createWavDecoder>> = {
  wav: createWavDecoder,
  rf64: createWavDecoder,
  aiff: createAiffDecoder,
}

/**
 * Decodes a file block by block, so that only a few seconds of samples are in memory at a time. `headBytes` is the
 * number of bytes before the audio.
 */
export async function* decodeFile(
  path: string,
  family: ChunkedFamily,
  headBytes: number,
): AsyncGenerator<AudioBlock> {
  if (headBytes > maxHeadBytes) throw new LimitExceededError('the data before the audio exceeds 64 MiB')
  const source =
    family === 'rf64' ? readAsPlainWav(path) : createReadStream(path, { highWaterMark: chunkBytes })
  const decoder = decoders[family]()
  for await (const piece of splitIntoPieces(source, headBytes, pieceBytes)) yield decoder.decode(piece)
  yield decoder.flush()
}
