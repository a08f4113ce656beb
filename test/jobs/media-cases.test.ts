import { describe, expect, it } from 'vitest'
import { ffmpeg } from '#test/support/ffmpeg.ts'
import { startAnalyses } from '#test/support/media/analyses.ts'
import { type Bytes, readMediaFile, sine } from '#test/support/media/audio-files.ts'
import {
  type Container,
  encodeSamples,
  formatPiece,
  id3Tag,
  type Piece,
  soundPiece,
  writeContainer,
} from '#test/support/media/chunked-files.ts'
import { withSkeleton } from '#test/support/media/ogg.ts'

// Half a second of a sine at half amplitude.
const frames = 4000
const sampleRate = 8000
const samples = Array.from({ length: frames }, (_, frame) =>
  Math.round(64 * sine(440, 1)(frame / sampleRate)),
)
const encoded = (container: Container, encoding: 'int8' | 'int16' = 'int16') =>
  encodeSamples(container, encoding, samples)

const format = (container: Container, encoding: 'int8' | 'int16' = 'int16', rate = sampleRate) =>
  formatPiece(container, { encoding, channels: 1, sampleRate: rate, frames })
const sound = (container: Container, encoding: 'int8' | 'int16' = 'int16', size?: number): Piece => ({
  ...soundPiece(container, encoded(container, encoding)),
  ...(size === undefined ? {} : { size }),
})
const other = (id: string, bytes: number, isPadded = true): Piece => ({
  id,
  body: Buffer.alloc(bytes, 'x'),
  isPadded,
})

const wav = (...pieces: readonly Piece[]) => writeContainer('RIFF', pieces)
const aiff = (...pieces: readonly Piece[]) => writeContainer('AIFF', pieces)
const afterId3 = (file: Bytes): Bytes => new Uint8Array(Buffer.concat([id3Tag('Jazz'), file]))

const soundBytes = frames * 2

// WAV and AIFF as recorders, editors, browsers and phones write them.
const chunkedFiles: readonly (readonly [string, Bytes])[] = [
  ['a plain WAV file', wav(format('RIFF'), sound('RIFF'))],
  ['WAV with an odd chunk before the samples', wav(format('RIFF'), other('iXML', 11), sound('RIFF'))],
  ['WAV with an odd chunk before the format', wav(other('bext', 603), format('RIFF'), sound('RIFF'))],
  [
    'WAV with an odd chunk whose padding is missing',
    wav(other('bext', 603, false), format('RIFF'), other('cust', 7, false), sound('RIFF')),
  ],
  ['WAV with an odd chunk of an unknown type', wav(other('ABCD', 9), format('RIFF'), sound('RIFF'))],
  ['WAV with the samples before the format', wav(sound('RIFF'), format('RIFF'))],
  [
    'WAV with chunks after the samples',
    wav(format('RIFF'), sound('RIFF'), other('minf', 16), other('LIST', 33)),
  ],
  [
    'WAV with a chunk size that is too large',
    wav({ ...other('bext', 600), size: 604 }, format('RIFF'), sound('RIFF')),
  ],
  ...[0, 0xffff_ffff, 0x7fff_ffff, 0x7fff_f000, 0x8000_0000, 0xffff_ffff - 36, 0x7fff_effe].map(
    (size): [string, Bytes] => [
      `WAV with the placeholder ${size.toString(16)} as its sizes`,
      writeContainer('RIFF', [format('RIFF'), sound('RIFF', 'int16', size)], size),
    ],
  ),
  ['WAV that declares 16 bytes too many', wav(format('RIFF'), sound('RIFF', 'int16', soundBytes + 16))],
  [
    'WAV that counts the start of the next chunk as sound',
    wav(format('RIFF'), sound('RIFF', 'int16', soundBytes + 6), other('LIST', 600)),
  ],
  ['WAV after an ID3 tag', afterId3(wav(format('RIFF'), sound('RIFF')))],
  ['WAV of 8 bits', wav(format('RIFF', 'int8'), sound('RIFF', 'int8'))],
  ['a plain AIFF file', aiff(format('AIFF'), sound('AIFF'))],
  ['AIFF with a tag after the samples', aiff(format('AIFF'), sound('AIFF'), other('ID3 ', 2032))],
  ['AIFF with the samples before the format', aiff(sound('AIFF'), format('AIFF'))],
  ['AIFF of 8 bits', aiff(format('AIFF', 'int8'), sound('AIFF', 'int8'))],
  ['AIFF after an ID3 tag', afterId3(aiff(format('AIFF'), sound('AIFF')))],
  ['AIFF with a gap before the samples', aiff(format('AIFF'), soundPiece('AIFF', encoded('AIFF'), 500))],
  ...[0, 0xffff_ffff, 0x7fff_ffff].map((size): [string, Bytes] => [
    `AIFF with the placeholder ${size.toString(16)} as its sizes`,
    writeContainer('AIFF', [format('AIFF'), sound('AIFF', 'int16', size), other('ID3 ', 700)], size),
  ]),
  [
    'AIFF-C of a little-endian computer',
    writeContainer('AIFC', [
      formatPiece('AIFC', { encoding: 'int16', channels: 1, sampleRate, frames, compression: 'sowt' }),
      soundPiece('AIFC', encodeSamples('AIFC', 'int16', samples, true)),
    ]),
  ],
  ['RIFX', writeContainer('RIFX', [format('RIFX'), sound('RIFX')])],
  ['Wave64', writeContainer('W64', [format('W64'), other('junk', 13), sound('W64')])],
]

const contentTypeOf = (file: Bytes) => (Buffer.from(file).includes('AIF') ? 'audio/aiff' : 'audio/wav')

describe.each([
  ['with ffmpeg', ffmpeg],
  ['without ffmpeg', null],
])('analysis of what musicians upload, %s', (name, decoder) => {
  const { analyse } = startAnalyses()
  const isSkipped = name === 'with ffmpeg' && !ffmpeg

  const analyseWaveform = async (file: Bytes, contentType: string) => {
    const found = await analyse(file, contentType, decoder)
    if (found.failure) throw new Error(found.failure.message)
    if (typeof found.waveform === 'string') throw new Error(found.waveform)
    return { ...found, waveform: found.waveform }
  }
  let plain: ReturnType<typeof analyseWaveform> | undefined

  it.skipIf(isSkipped).each(chunkedFiles)('finds exactly the same sound in %s', async (_, file) => {
    plain ??= analyseWaveform(chunkedFiles[0]![1], 'audio/wav')
    const { measures, waveform } = await analyseWaveform(file, contentTypeOf(file))
    expect(measures).toEqual({ durationMs: 500, sampleRate, channels: 1 })
    expect(waveform).toEqual((await plain).waveform)
    expect(Math.max(...waveform.data)).toBe(64)
  })

  it.skipIf(isSkipped)('rounds a fractional sample rate, and the duration to milliseconds', async () => {
    const { measures, waveform } = await analyseWaveform(
      aiff(format('AIFF', 'int16', 8912.75), sound('AIFF')),
      'audio/aiff',
    )
    expect(measures).toEqual({ durationMs: 449, sampleRate: 8913, channels: 1 })
    expect(waveform.sampleRate).toBe(8913)
  })

  it.skipIf(isSkipped).each([
    ['zeros-before-first-frame.mp3', 'audio/mpeg', 500],
    ['theora-cover.ogg', 'audio/ogg', 500],
    ['recording-with-timeslice.webm', 'audio/webm', 3000],
  ])('finds all of the sound in %s', async (name, contentType, durationMs) => {
    const found = await analyse(await readMediaFile(name), contentType, decoder)
    if (found.failure) throw new Error(found.failure.message)
    expect(Math.abs(found.measures.durationMs! - durationMs)).toBeLessThanOrEqual(60)
    if (!decoder || typeof found.waveform === 'string') return expect(found.waveform).toBe('no decoder')
    const { data } = found.waveform
    const tenth = Math.floor(data.length / 10)
    // The start and the end are as loud as the rest.
    for (const part of [data.subarray(0, tenth), data, data.subarray(-tenth)])
      expect(Math.abs(Math.max(...part) - 64)).toBeLessThanOrEqual(6)
  })

  it.skipIf(isSkipped)('counts the samples of GSM packets in AIFF-C', async () => {
    const packets = 25
    // A packet encodes 160 samples in 33 bytes. The first four bits are the signature 0xd.
    const packet = Buffer.concat([Buffer.from([0xd0]), Buffer.alloc(32)])
    const gsm = writeContainer('AIFC', [
      formatPiece('AIFC', {
        encoding: 'int16',
        channels: 1,
        sampleRate,
        frames: packets,
        compression: 'GSM ',
      }),
      soundPiece('AIFC', Buffer.alloc(packets * packet.length, packet)),
    ])
    expect(await analyse(gsm, 'audio/aiff', decoder)).toMatchObject({
      failure: null,
      measures: { durationMs: 500, sampleRate, channels: 1 },
    })
  })

  it.skipIf(isSkipped)('finds the sound in Ogg that begins with a Skeleton stream', async () => {
    const found = await analyse(withSkeleton(await readMediaFile('sine.ogg')), 'audio/ogg', decoder)
    if (found.failure) throw new Error(found.failure.message)
    expect(found.measures).toMatchObject({ sampleRate: 44_100, channels: 2 })
    expect(Math.abs(found.measures.durationMs! - 2000)).toBeLessThanOrEqual(60)
  })

  // Skipped with ffmpeg, which does not decode such a file.
  it.skipIf(decoder)('finds track descriptions that come after the sound in a WebM file', async () => {
    const webm = Buffer.from(await readMediaFile('sine.webm'))
    // Finds the last occurrence, because each id also occurs in the list of seek positions.
    const find = (id: string) => webm.lastIndexOf(Buffer.from(id, 'hex'))
    // Writes the duration over the padding that ffmpeg leaves.
    const duration = Buffer.from('1549a9668b4489880000000000000000ecd0', 'hex')
    duration.writeDoubleBE(2000, 8)
    duration.copy(webm, find('1549a966') - 98)
    // The offsets of these elements, in file order.
    const [tracks, tags, cues] = [find('1654ae6b'), find('1254c367'), find('1c53bb6b')]
    const parts = [[0, tracks] as const, [tags, cues] as const, [tracks, tags] as const, [cues] as const]
    const late = Buffer.concat(parts.map(([start, end]) => webm.subarray(start, end)))
    const found = await analyse(new Uint8Array(late), 'audio/webm', decoder)
    if (found.failure) throw new Error(found.failure.message)
    expect(found.measures).toMatchObject({ sampleRate: 48_000, channels: 2 })
    expect(Math.abs(found.measures.durationMs! - 2000)).toBeLessThanOrEqual(60)
  })

  it.skipIf(isSkipped)('adds up the durations of the links in a chained Ogg file', async () => {
    const link = await readMediaFile('sine.ogg')
    const found = await analyse(new Uint8Array(Buffer.concat([link, link])), 'audio/ogg', decoder)
    if (found.failure) throw new Error(found.failure.message)
    expect(Math.abs(found.measures.durationMs! - 4000)).toBeLessThanOrEqual(60)
  })

  it.skipIf(isSkipped).each([1000, 60_000])('finds MP3 that begins after %i other bytes', async (bytes) => {
    const noise = Uint8Array.from({ length: bytes }, (_, index) => (index * 7919) % 251)
    const mp3 = await readMediaFile('sine.mp3')
    const found = await analyse(new Uint8Array(Buffer.concat([noise, mp3])), 'audio/mpeg', decoder)
    if (found.failure) throw new Error(found.failure.message)
    expect(Math.abs(found.measures.durationMs! - 2000)).toBeLessThanOrEqual(60)
  })

  const cut = (file: Bytes, share: number) => file.slice(0, Math.round(file.length * share))

  it.skipIf(isSkipped)(
    'accepts WAV, AIFF and Wave64 cut to 80 %, and rejects them if cut to 70 % or less',
    async () => {
      for (const container of ['RIFF', 'AIFF', 'W64'] as const) {
        const file = writeContainer(container, [format(container), sound(container)])
        const type = contentTypeOf(file)
        expect(await analyse(cut(file, 0.8), type, decoder)).toMatchObject({ failure: null })
        expect(await analyse(cut(file, 0.7), type, decoder)).toMatchObject({
          failure: { code: 'audio_truncated' },
        })
        expect(await analyse(cut(file, 0.5), type, decoder)).toMatchObject({
          failure: { code: 'audio_truncated' },
        })
      }
    },
  )
})
