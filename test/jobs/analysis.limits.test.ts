import { describe, expect, it } from 'vitest'
import { analyseAudioInChild } from '#jobs/analysis/analyse-in-child.ts'
import { limitsForFile } from '#jobs/analysis/analysis-limits.ts'
import { runChild } from '#jobs/analysis/run-child.ts'
import { startAnalyses } from '#test/support/media/analyses.ts'
import { constantFlac } from '#test/support/media/flac.ts'
import { box, moov, mp4, overlappingMp4 } from '#test/support/media/mp4.ts'
import { dtxPacket, longestEmptyPacket, repeatedOpus } from '#test/support/media/ogg.ts'
import { type Bytes, wav } from '#test/support/media/sound.ts'

const mib = 1024 * 1024

const changed = (bytes: Bytes, change: (view: Buffer) => void): Bytes => {
  const copy = bytes.slice()
  change(Buffer.from(copy.buffer))
  return copy
}

const smallestMp3 = () => {
  // MPEG-2.5 layer III, 8 kbit/s, 8 kHz, mono: 576 samples in 72 bytes.
  const bytes = new Uint8Array(72 * 480)
  for (let at = 0; at < bytes.length; at += 72) bytes.set([0xff, 0xe3, 0x18, 0xc0], at)
  return bytes
}

const aiff = (channels: number, frames: number) => {
  const common = Buffer.alloc(18)
  common.writeUInt16BE(channels, 0)
  common.writeUInt32BE(frames, 2)
  common.writeUInt16BE(16, 6)
  common.set([0x40, 0x0e, 0xac, 0x44], 8)
  const body = Buffer.concat([
    Buffer.from('AIFF'),
    box('COMM', common).fill(Buffer.from([0, 0, 0, 18]), 0, 4),
    box('SSND', Buffer.alloc(20_000)).fill(Buffer.from([0, 0, 0x4e, 0x20]), 0, 4),
  ])
  const header = Buffer.alloc(8)
  header.write('FORM')
  header.writeUInt32BE(body.length, 4)
  return new Uint8Array(Buffer.concat([header, body]))
}

// One that says it holds blocks of 65,535 samples in a byte each.
const expandingAdpcm = () =>
  changed(wav({ seconds: 2, samples: 'int32' }), (view) => {
    view.writeUInt16LE(0x11, 20)
    view.writeUInt16LE(1, 32)
    view.writeUInt16LE(4, 34)
  })

describe('the limits of an analysis', () => {
  const { onDisk, analyse } = startAnalyses()
  const never = new AbortController().signal
  const run = async (bytes: Bytes, contentType: string, limits: object = {}) => {
    const path = await onDisk(bytes)
    return runChild(
      { task: 'audio', path, contentType },
      { ...limitsForFile(bytes.length), sampleIntervalMs: 10, ...limits },
      never,
    )
  }

  it.each([
    ['a constant FLAC in stereo', () => constantFlac({ frames: 1200 }), 'audio/flac'],
    [
      'a constant FLAC with 8 channels',
      () => constantFlac({ frames: 150, channels: 8, bits: 8 }),
      'audio/flac',
    ],
    ['a constant FLAC in mono', () => constantFlac({ frames: 1200, channels: 1, bits: 8 }), 'audio/flac'],
    ['Opus of empty packets', () => repeatedOpus({ packets: 2000, ...longestEmptyPacket }), 'audio/opus'],
    ['the smallest frames of MP3', smallestMp3, 'audio/mpeg'],
    ['an MP4 whose chunks overlap', overlappingMp4, 'audio/mp4'],
    [
      'an MP4 that says it has two billion samples',
      () => mp4(moov({ sampleSize: 1, sampleCount: 2 ** 31, chunks: [0] }), box('mdat', Buffer.alloc(1000))),
      'audio/mp4',
    ],
    [
      'an MP4 of samples of no size',
      () => mp4(moov({ sampleSize: 0, sampleCount: 2 ** 24, chunks: [0] }), box('mdat', Buffer.alloc(1000))),
      'audio/mp4',
    ],
    [
      'a WAV with 65,535 channels in a byte',
      () => changed(wav(), (view) => view.fill(0xff, 22, 24) && view.writeUInt16LE(1, 32)),
      'audio/wav',
    ],
    ['a WAV whose blocks expand', expandingAdpcm, 'audio/wav'],
    ['an AIFF with 32,767 channels', () => aiff(32_767, 2 ** 31), 'audio/aiff'],
  ])('keep %s below 768 MiB of memory', async (_, bytes, contentType) => {
    const { usage } = await run(bytes(), contentType)
    expect(usage.peakMemoryBytes).toBeGreaterThan(30 * mib)
    expect(usage.peakMemoryBytes).toBeLessThan(768 * mib)
  })

  it.each([
    ['memory', { memoryBytes: 20 * mib }],
    ['cpu', { cpuMs: 50 }],
    ['time', { timeMs: 50 }],
  ])('end a child that exceeds its %s, and say so', async (limit, limits) => {
    const outcome = await run(wav({ seconds: 600 }), 'audio/wav', limits)
    expect(outcome.limit).toBe(limit)
  })

  it('make a file that exceeds them fail for that reason', async () => {
    const found = await analyseAudioInChild(await onDisk(wav()), 'audio/wav', never, {
      memoryBytes: 20 * mib,
    })
    expect(found).toEqual({
      failure: {
        code: 'processing_limit_exceeded',
        message: 'The file needs more memory or time to process than is allowed.',
      },
    })
  })

  it('grow with the size of the file', () => {
    expect(limitsForFile(0).cpuMs).toBe(30_000)
    expect(limitsForFile(8 * mib).cpuMs).toBe(62_000)
    expect(limitsForFile(2 ** 40).timeMs).toBe(20 * 60_000)
  })

  it.each([
    ['FLAC', () => constantFlac({ frames: 6460, blockSize: 4096 }), 'audio/flac'],
    ['FLAC in the longest blocks', () => constantFlac({ frames: 404 }), 'audio/flac'],
    [
      'Opus with DTX',
      () => repeatedOpus({ packets: 30_000, ...dtxPacket, packetsPerPage: 50 }),
      'audio/opus',
    ],
  ])('let ten silent minutes of %s pass', async (_, bytes, contentType) => {
    const found = await analyse(bytes(), contentType)
    if (found.failure) throw new Error(found.failure.code)
    expect(found.measures.durationMs! / 60_000).toBeCloseTo(10, 1)
  })

  it.each([
    [
      'a day and a second',
      'audio_too_long',
      mp4(moov({ sampleSize: 2, sampleCount: 1, chunks: [0], declaredSamples: 44_100 * 86_401 })),
      'audio/mp4',
    ],
    [
      'more samples than so few bytes can hold',
      'processing_limit_exceeded',
      constantFlac({ frames: 2, declaredSamples: 44_100 * 3600 }),
      'audio/flac',
    ],
  ])('refuse a file that says it holds %s, before it is decoded', async (_, code, bytes, contentType) => {
    expect((await analyse(bytes, contentType)).failure?.code).toBe(code)
  })

  it('refuse a sample rate that nothing has', async () => {
    const bytes = changed(wav(), (view) => view.writeUInt32LE(0xffff_ffff, 24))
    expect((await analyse(bytes, 'audio/wav')).failure?.code).toBe('audio_corrupt')
  })
})
