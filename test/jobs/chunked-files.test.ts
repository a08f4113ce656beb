import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Ffmpeg } from '#jobs/analysis/find-ffmpeg.ts'
import { countCases } from '#test/support/count-cases.ts'
import { ffmpeg } from '#test/support/ffmpeg.ts'
import { startAnalyses } from '#test/support/media/analyses.ts'
import {
  type Container,
  containers,
  ds64Piece,
  encodeSamples,
  encodings,
  formatPiece,
  id3Tag,
  isAiff,
  type Piece,
  soundPiece,
  writeContainer,
} from '#test/support/media/chunked-files.ts'
import { createRandom } from '#test/support/random.ts'

const unknownSize = 0xffff_ffff
const placeholders = [0, unknownSize, 0x7fff_ffff, 0x7fff_f000, 0x8000_0000]

const otherPiece = fc.record({
  id: fc.oneof(
    fc.constantFrom('bext', 'iXML', 'LIST', 'JUNK', 'id3 ', 'ID3 ', 'NAME', 'cue ', 'PAD '),
    fc.string({ unit: fc.constantFrom(...'ABCXYZabcxyz019 _'), minLength: 4, maxLength: 4 }),
  ),
  body: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
})

const fileOfChunks = fc.record({
  container: fc.constantFrom(...containers),
  encoding: fc.constantFrom(...encodings),
  channels: fc.integer({ min: 1, max: 3 }),
  sampleRate: fc.constantFrom(8000, 11_025, 44_100, 192_000),
  frames: fc.integer({ min: 200, max: 1000 }),
  seed: fc.nat(),
  others: fc.array(otherPiece, { maxLength: 5 }),
  /** The positions of the format chunk and the sample chunk among the other chunks. */
  places: fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 5 })),
  isPadded: fc.boolean(),
  size: fc.constantFrom(undefined, ...placeholders),
  soundSize: fc.constantFrom<'right' | 'too large' | number>('right', 'too large', ...placeholders),
  extraBytes: fc.integer({ min: 1, max: 16 }),
  gap: fc.constantFrom(0, 4, 10),
  hasFrames: fc.boolean(),
  hasTagInFront: fc.boolean(),
})
type FileOfChunks = typeof fileOfChunks extends fc.Arbitrary<infer T> ? T : never

const isWide = (container: Container) => container === 'RF64' || container === 'BW64'

const writeSound = (file: FileOfChunks, sound: Buffer, isLast: boolean): Piece => {
  const { container, soundSize, extraBytes, gap, isPadded } = file
  const piece = { ...soundPiece(container, sound, gap), isPadded }
  const declare = (size: number) => ({ ...piece, size, isPadded: false })
  // RF64 stores the size in another chunk.
  if (isWide(container)) return soundSize === unknownSize ? { ...piece, size: unknownSize } : piece
  // Only the last chunk may declare a wrong size. Its samples then count as extending to the end of the file.
  if (!isLast || soundSize === 'right') return piece
  if (soundSize === 'too large') return declare(piece.body.length + extraBytes)
  return container === 'W64' ? piece : declare(soundSize)
}

const write = (file: FileOfChunks) => {
  const { container, channels, sampleRate, isPadded, places, others, frames } = file
  // Plain AIFF contains only integers. Other encodings need AIFF-C.
  const encoding = container === 'AIFF' && file.encoding.startsWith('float') ? 'int24' : file.encoding
  const random = createRandom(file.seed)
  const samples = Array.from({ length: frames * channels }, () => Math.floor(random() * 256) - 128)
  const sound = encodeSamples(container, encoding, samples)
  const format = formatPiece(container, {
    encoding,
    channels,
    sampleRate,
    frames: file.hasFrames ? frames : 0,
  })
  const pieces: Piece[] = others.map((piece) => ({ ...piece, isPadded }))
  pieces.splice(places[0], 0, { ...format, isPadded })
  const isLast = places[1] >= pieces.length
  pieces.splice(places[1], 0, writeSound(file, sound, isLast))
  if (isWide(container)) pieces.unshift(ds64Piece(sound.length))
  const bytes = writeContainer(container, pieces, file.size)
  const plain = writeContainer('RIFF', [
    formatPiece('RIFF', { encoding: 'int16', channels, sampleRate }),
    soundPiece('RIFF', encodeSamples('RIFF', 'int16', samples)),
  ])
  const tag = file.hasTagInFront ? id3Tag('Jazz') : Buffer.alloc(0)
  return { bytes: new Uint8Array(Buffer.concat([tag, bytes])), plain }
}

describe('analysis of chunked files', { timeout: 180_000 }, () => {
  const { analyse } = startAnalyses()

  const hasSameSound = (decoder: Ffmpeg | null) =>
    fc.asyncProperty(fileOfChunks, async (file) => {
      const { bytes, plain } = write(file)
      const found = await analyse(bytes, isAiff(file.container) ? 'audio/aiff' : 'audio/wav', decoder)
      const expected = await analyse(plain, 'audio/wav', null)
      if (found.failure || expected.failure) throw new Error(found.failure?.code ?? expected.failure?.code)
      expect(found.measures).toEqual(expected.measures)
      expect(found.waveform).toEqual(expected.waveform)
      expect(found.tags.map(({ value }) => value)).toEqual(file.hasTagInFront ? ['Jazz'] : [])
    })

  it('finds the same sound as in a plain file, for any chunks in any order, with any padding and sizes', async () => {
    await fc.assert(hasSameSound(null), { numRuns: countCases(5000, 0.02) })
  })

  it.skipIf(!ffmpeg)('gives ffmpeg the same sound as a plain file', async () => {
    await fc.assert(hasSameSound(ffmpeg), { numRuns: countCases(200, 0.04) })
  })
})
