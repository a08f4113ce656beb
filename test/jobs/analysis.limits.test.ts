import { describe, expect, it } from 'vitest'
import { analyseAudioInChild } from '#jobs/analysis/analyse-in-child.ts'
import { calculateProcessLimits } from '#jobs/analysis/analysis-limits.ts'
import { runChild } from '#jobs/analysis/run-child.ts'
import { ffmpeg } from '#test/support/ffmpeg.ts'
import { startAnalyses } from '#test/support/media/analyses.ts'
import { type Bytes, wav } from '#test/support/media/audio-files.ts'
import { constantFlac } from '#test/support/media/flac.ts'
import { box, moov, mp4, overlappingMp4 } from '#test/support/media/mp4.ts'
import { dtxPacket, longestEmptyPacket, repeatedOpus } from '#test/support/media/ogg.ts'

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

// The header declares that each one-byte block contains 65,535 samples.
const expandingAdpcm = () =>
  changed(wav({ seconds: 2, samples: 'int32' }), (view) => {
    view.writeUInt16LE(0x11, 20)
    view.writeUInt16LE(1, 32)
    view.writeUInt16LE(4, 34)
  })

const repeated = (count: number, bytes: string) =>
  Buffer.alloc(count * bytes.length, Buffer.from(bytes, 'latin1'))
const after = (start: string, ...rest: readonly Uint8Array[]): Bytes =>
  new Uint8Array(Buffer.concat([Buffer.from(start, 'latin1'), ...rest]))

// The start of a live recording: an EBML header, then a segment and a cluster, both of unknown size.
const unknownSizes =
  '\x1a\x45\xdf\xa3\x87\x42\x82\x84webm\x18\x53\x80\x67\xff\x16\x54\xae\x6b\x88\xae\x86\xd7\x81\x01\x83\x81\x02'
const cluster = '\x1f\x43\xb6\x75\xff'

const hostileContainers: readonly (readonly [string, () => Bytes, string])[] = [
  ['a WAV file that declares 4 GB', () => changed(wav(), (view) => view.fill(0xff, 40, 44)), 'audio/wav'],
  [
    'a WAV file that declares 4 GB of format',
    () => changed(wav(), (view) => view.fill(0xff, 16, 20)),
    'audio/wav',
  ],
  [
    'a WAV file of blocks without bytes',
    () => changed(expandingAdpcm(), (view) => view.fill(0, 32, 34)),
    'audio/wav',
  ],
  [
    'a WAV file of empty samples',
    () => after('RIFF\0\0\0\0WAVE', repeated(2_000_000, 'data\0\0\0\0')),
    'audio/wav',
  ],
  [
    'nested RIFF',
    () => after('RIFF\xff\xff\xff\x7fWAVE', repeated(2_000_000, 'RIFF\x04\0\0\0WAVE')),
    'audio/wav',
  ],
  [
    'a WAV file with many ID3 tags',
    () => after('', wav(), repeated(90_000, 'id3 \x14\0\0\0ID3\x03\0\0\0\0\0\x0aTCON\0\0\0\0\0\0')),
    'audio/wav',
  ],
  [
    'an AIFF file that declares 4 GB of gap',
    () => changed(aiff(1, 100), (view) => view.fill(0xff, 46, 50)),
    'audio/aiff',
  ],
  [
    'WebM of tiny blocks',
    () => after(unknownSizes + cluster, repeated(4_000_000, '\xa3\x84\x81\0\0\0')),
    'audio/webm',
  ],
  ['WebM of tiny clusters', () => after(unknownSizes, repeated(4_000_000, cluster)), 'audio/webm'],
  [
    'Ogg of tiny pages',
    () => after('', repeated(1_000_000, `OggS\0\x02${'\0'.repeat(20)}\x01\0`)),
    'audio/ogg',
  ],
  ['Ogg of other bytes', () => after(`OggS${'\0'.repeat(23)}`, repeated(20_000_000, 'O')), 'audio/ogg'],
  ['MP4 of nested tracks', () => after('', mp4(), repeated(90_000, '\x7f\xff\xff\xfftrak')), 'audio/mp4'],
  ['bytes that look like MP3', () => after('', repeated(20_000_000, '\xff')), 'audio/mpeg'],
  [
    'frames of MP3 that do not follow each other',
    () => after('\0', repeated(5_000_000, '\xff\xfb\x90\0')),
    'audio/mpeg',
  ],
]

// Each analysis is a process, which takes a long time to start on a busy machine. Some run until a limit ends them.
describe('the analyser', { timeout: 60_000 }, () => {
  const { onDisk, analyse } = startAnalyses()
  const never = new AbortController().signal
  const run = async (bytes: Bytes, contentType: string, limits: object = {}) => {
    const path = await onDisk(bytes)
    return runChild(
      { kind: 'audio', path, contentType, hasDecoder: false },
      { ...calculateProcessLimits(bytes.length), sampleIntervalMs: 10, ...limits },
      never,
    )
  }

  const hostileFiles: readonly (readonly [string, () => Bytes, string])[] = [
    ['a constant FLAC file in stereo', () => constantFlac({ frames: 1200 }), 'audio/flac'],
    [
      'a constant FLAC file with 8 channels',
      () => constantFlac({ frames: 150, channels: 8, bits: 8 }),
      'audio/flac',
    ],
    [
      'a constant FLAC file in mono',
      () => constantFlac({ frames: 1200, channels: 1, bits: 8 }),
      'audio/flac',
    ],
    [
      'an Opus file of empty packets',
      () => repeatedOpus({ packets: 2000, ...longestEmptyPacket }),
      'audio/opus',
    ],
    ['an MP3 file of the smallest frames', smallestMp3, 'audio/mpeg'],
    ['an MP4 file with overlapping chunks', overlappingMp4, 'audio/mp4'],
    [
      'an MP4 file that declares two billion samples',
      () => mp4(moov({ sampleSize: 1, sampleCount: 2 ** 31, chunks: [0] }), box('mdat', Buffer.alloc(1000))),
      'audio/mp4',
    ],
    [
      'an MP4 file of samples without a size',
      () => mp4(moov({ sampleSize: 0, sampleCount: 2 ** 24, chunks: [0] }), box('mdat', Buffer.alloc(1000))),
      'audio/mp4',
    ],
    [
      'a WAV file with 65,535 channels in one byte',
      () => changed(wav(), (view) => view.fill(0xff, 22, 24) && view.writeUInt16LE(1, 32)),
      'audio/wav',
    ],
    ['a WAV file with expanding blocks', expandingAdpcm, 'audio/wav'],
    ['an AIFF file with 32,767 channels', () => aiff(32_767, 2 ** 31), 'audio/aiff'],
    ...hostileContainers,
  ]

  it.each(hostileFiles)('keeps the analysis of %s below 768 MiB of memory', async (_, bytes, contentType) => {
    const { limit, usage } = await run(bytes(), contentType)
    expect(limit === null || limit === 'memory').toBe(true)
    expect(usage.peakMemoryBytes).toBeGreaterThan(30 * mib)
    expect(usage.peakMemoryBytes).toBeLessThan(768 * mib)
  })

  it.skipIf(!ffmpeg).each(hostileFiles)(
    'completes the analysis of %s with ffmpeg',
    async (_, bytes, contentType) => {
      const file = { path: await onDisk(bytes()), contentType }
      const found = await analyseAudioInChild(file, ffmpeg, never)
      expect([
        null,
        'audio_corrupt',
        'audio_empty',
        'audio_truncated',
        'audio_too_long',
        'processing_limit_exceeded',
        'type_mismatch',
      ]).toContain(found.failure?.code ?? null)
    },
  )

  it.each([
    ['memory', { memoryBytes: 20 * mib }],
    ['cpu', { cpuMs: 50 }],
    ['time', { timeMs: 50 }],
  ])('kills a child process that exceeds its %s limit, and reports the limit', async (limit, limits) => {
    const outcome = await run(wav({ seconds: 600 }), 'audio/wav', limits)
    expect(outcome.limit).toBe(limit)
  })

  it('reports processing_limit_exceeded for a file that exceeds a limit', async () => {
    const found = await analyseAudioInChild(
      { path: await onDisk(wav()), contentType: 'audio/wav' },
      null,
      never,
      { memoryBytes: 20 * mib },
    )
    expect(found).toEqual({
      failure: {
        code: 'processing_limit_exceeded',
        message: 'The file needs more memory or time to process than is allowed.',
      },
    })
  })

  it('allows more CPU time and more total time for larger files', () => {
    expect(calculateProcessLimits(0).cpuMs).toBe(30_000)
    expect(calculateProcessLimits(8 * mib).cpuMs).toBe(62_000)
    expect(calculateProcessLimits(2 ** 40).timeMs).toBe(20 * 60_000)
  })

  it.skipIf(!ffmpeg).each([
    ['FLAC', () => constantFlac({ frames: 6460, blockSize: 4096 }), 'audio/flac'],
    ['FLAC with the longest blocks', () => constantFlac({ frames: 404 }), 'audio/flac'],
    [
      'Opus with DTX',
      () => repeatedOpus({ packets: 30_000, ...dtxPacket, packetsPerPage: 50 }),
      'audio/opus',
    ],
  ])('accepts ten silent minutes of %s', async (_, bytes, contentType) => {
    const found = await analyse(bytes(), contentType)
    if (found.failure) throw new Error(found.failure.code)
    expect(found.measures.durationMs! / 60_000).toBeCloseTo(10, 1)
  })

  it.each([
    [
      '24 hours and a second',
      'audio_too_long',
      mp4(moov({ sampleSize: 2, sampleCount: 1, chunks: [0], declaredSamples: 44_100 * 86_401 })),
      'audio/mp4',
    ],
    [
      'more samples than its size allows',
      'processing_limit_exceeded',
      constantFlac({ frames: 2, declaredSamples: 44_100 * 3600 }),
      'audio/flac',
    ],
  ])('rejects a file that declares %s before decoding it', async (_, code, bytes, contentType) => {
    expect((await analyse(bytes, contentType)).failure?.code).toBe(code)
  })

  it('rejects an implausible sample rate', async () => {
    const bytes = changed(wav(), (view) => view.writeUInt32LE(0xffff_ffff, 24))
    expect((await analyse(bytes, 'audio/wav')).failure?.code).toBe('audio_corrupt')
  })
})
