import { describe, expect, it } from 'vitest'
import { sampleCases } from '#test/support/count-cases.ts'
import { ffmpeg } from '#test/support/ffmpeg.ts'
import { startAnalyses } from '#test/support/media/analyses.ts'
import { type Bytes, readMediaFile } from '#test/support/media/audio-files.ts'
import { writeContainer } from '#test/support/media/chunked-files.ts'
import { constantFlac } from '#test/support/media/flac.ts'
import { box, mp4 } from '#test/support/media/mp4.ts'

const repeated = (count: number, bytes: Buffer) => Buffer.alloc(count * bytes.length, bytes)

const fileOfChunks = (signature: string, type: string, id: string): Bytes => {
  const bytes = Buffer.concat([Buffer.from(`${signature}\0\0\0\0${type}`), repeated(1_000_000, box(id))])
  const emptyChunk = Buffer.from(`${id}\0\0\0\0`)
  bytes.fill(emptyChunk, 12)
  return new Uint8Array(bytes)
}

// Each chunk is one byte long and has no padding byte, so the next one may start at either of two positions.
const fileOfOddChunks = (): Bytes => {
  const chunks = repeated(1_000_000, Buffer.from('junk\x01\0\0\0x', 'latin1'))
  return new Uint8Array(Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE'), chunks]))
}

const wave64OfChunks = (): Bytes =>
  writeContainer(
    'W64',
    Array.from({ length: 150_000 }, () => ({ id: 'junk', body: Buffer.alloc(0) })),
  )

const flacOfBlocks = (): Bytes => {
  const start = Buffer.from(constantFlac({ frames: 0 }))
  start[4] = 0
  return new Uint8Array(Buffer.concat([start, repeated(1_000_000, Buffer.from([1, 0, 0, 0]))]))
}

const webmOfVoids = (): Bytes => {
  const start = Buffer.from('1a45dfa38742828477656' + '26d' + '18538067' + '01ffffffffffffff', 'hex')
  return new Uint8Array(Buffer.concat([start, repeated(1_000_000, Buffer.from([0xec, 0x80]))]))
}

describe('analysis of containers', () => {
  const { analyse } = startAnalyses()

  const endless = [
    ['boxes', 'audio/mp4', () => mp4(repeated(1_000_000, box('free')))],
    ['boxes in a box', 'audio/mp4', () => mp4(box('moov', repeated(1_000_000, box('free'))))],
    ['RIFF chunks', 'audio/wav', () => fileOfChunks('RIFF', 'WAVE', 'junk')],
    ['odd RIFF chunks', 'audio/wav', fileOfOddChunks],
    ['Wave64 chunks', 'audio/wav', wave64OfChunks],
    ['AIFF chunks', 'audio/aiff', () => fileOfChunks('FORM', 'AIFF', 'ANNO')],
    ['FLAC metadata blocks', 'audio/flac', flacOfBlocks],
    ['EBML elements', 'audio/webm', webmOfVoids],
  ] as const
  it.each(sampleCases(endless, 0.5))(
    'rejects a file of many %s without parsing each of them',
    async (_, contentType, bytes) => {
      expect((await analyse(bytes(), contentType)).failure?.code).toBe('processing_limit_exceeded')
    },
  )

  const id3 = (size: number) =>
    Buffer.concat([
      Buffer.from('ID3\x04\0\0'),
      Buffer.from([(size >> 21) & 0x7f, (size >> 14) & 0x7f, (size >> 7) & 0x7f, size & 0x7f]),
      Buffer.alloc(size),
    ])
  const withRiffChunk = (bytes: Bytes, size: number): Bytes => {
    const chunk = Buffer.alloc(size + 8)
    chunk.write('bext')
    chunk.writeUInt32LE(size, 4)
    return new Uint8Array(Buffer.concat([bytes.subarray(0, 12), chunk, bytes.subarray(12)]))
  }
  const withFlacBlock = (bytes: Bytes, size: number): Bytes => {
    const block = Buffer.alloc(size + 4)
    block.writeUInt32BE(size)
    block[0] = 2
    return new Uint8Array(Buffer.concat([bytes.subarray(0, 42), block, bytes.subarray(42)]))
  }

  const decodesAfterOtherContent = async (
    name: string,
    contentType: string,
    change: (bytes: Bytes) => Bytes,
  ) => {
    const plain = await readMediaFile(name)
    const expected = await analyse(plain, contentType)
    const found = await analyse(change(plain), contentType)
    if (found.failure || expected.failure) throw new Error(found.failure?.code)
    expect(found.measures).toEqual(expected.measures)
    expect(found.waveform).toEqual(expected.waveform)
    expect(found.waveform).toMatchObject({ channels: 2 })
  }

  it.each([['sine-24.wav', 'audio/wav', (bytes: Bytes) => withRiffChunk(bytes, 3_000_000)]])(
    'decodes %s after megabytes of other content',
    decodesAfterOtherContent,
  )

  it.skipIf(!ffmpeg).each([
    ['sine.mp3', 'audio/mpeg', (bytes: Bytes) => new Uint8Array(Buffer.concat([id3(3_000_000), bytes]))],
    ['sine.flac', 'audio/flac', (bytes: Bytes) => withFlacBlock(bytes, 3_000_000)],
  ])('decodes %s after megabytes of other content', decodesAfterOtherContent)
})
