import { describe, expect, it } from 'vitest'
import { ffmpeg } from '#test/support/ffmpeg.ts'
import { startAnalyses } from '#test/support/media/analyses.ts'
import type { Bytes } from '#test/support/media/audio-files.ts'

// Silent frames of MPEG-1 layer III, 44.1 kHz, stereo. Each one is a header followed by zeros.
const frames = (count: number, kilobits: 32 | 320): Bytes => {
  const bytes = new Uint8Array(Math.floor((144_000 * kilobits) / 44_100) * count)
  for (let frame = 0; frame < count; frame++)
    bytes.set([0xff, 0xfb, kilobits === 32 ? 0x10 : 0xe0, 0], (bytes.length / count) * frame)
  return bytes
}

const ape = (cover: Bytes): Bytes => {
  const item = Buffer.concat([Buffer.alloc(8), Buffer.from('Cover Art (Front)\0cover.jpg\0'), cover])
  item.writeUInt32LE(item.length - 8 - 'Cover Art (Front)\0'.length, 0)
  item.writeUInt32LE(2, 4)
  const footer = Buffer.alloc(32)
  footer.write('APETAGEX')
  for (const [index, value] of [2000, item.length + footer.length, 1].entries())
    footer.writeUInt32LE(value, 8 + index * 4)
  return new Uint8Array(Buffer.concat([item, footer]))
}

const concat = (...parts: readonly Bytes[]): Bytes => new Uint8Array(Buffer.concat(parts))

describe.skipIf(!ffmpeg)('analysis of an MP3 file without a length header', () => {
  const { analyseSound } = startAnalyses()

  it.each([
    ['starts with silence at a low bit rate', concat(frames(50, 32), frames(100, 320)), 150],
    ['ends with a large cover', concat(frames(100, 32), ape(new Uint8Array(400_000).fill(0x55))), 100],
  ])('does not report a file that %s as truncated', async (_, bytes, count) => {
    const { measures } = await analyseSound(bytes, 'audio/mpeg')
    expect(measures).toMatchObject({ sampleRate: 44_100, channels: 2 })
    expect(Math.abs((measures.durationMs ?? 0) - (count * 1152) / 44.1)).toBeLessThan(60)
  })
})
