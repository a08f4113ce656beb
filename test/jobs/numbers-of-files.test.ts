import { type IAudioMetadata, TimestampFormat } from 'music-metadata'
import { describe, expect, it } from 'vitest'
import { toMilliseconds } from '#jobs/analysis/audio-analysis.ts'
import { readLyrics } from '#jobs/analysis/file-tags.ts'
import { inspectAsset } from '#jobs/analysis/inspect-asset.ts'
import { toStoredInteger } from '#jobs/analysis/stored-integer.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { startTestJobs, waitForProcessing } from '#test/support/jobs.ts'
import { startAnalyses } from '#test/support/media/analyses.ts'
import { type Bytes, readMediaFile, wav } from '#test/support/media/audio-files.ts'
import { box, moov, mp4 } from '#test/support/media/mp4.ts'
import { createFile, uploadFile } from '#test/support/uploads.ts'

const hostileNumbers = [2 ** 31, 2 ** 32 - 1, 2 ** 53, 1e300, -1, -(2 ** 31), 0.5, 44_100.5, Number.NaN]
const infinities = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
const isStorable = (value: number | null) =>
  value === null || (Number.isInteger(value) && value >= 0 && value <= 2 ** 31 - 1)

const change = (bytes: Bytes, edit: (view: Buffer) => void): Bytes => {
  const copy = bytes.slice()
  edit(Buffer.from(copy.buffer))
  return copy
}

const pngOfSize = async (width: number, height: number) =>
  change(await readMediaFile('cover.png'), (view) => {
    view.writeUInt32BE(width, 16)
    view.writeUInt32BE(height, 20)
  })

// A WAV file that declares this sample rate (up to 32 bits) and number of channels (up to 16 bits).
const wavOf = (sampleRate: number, channels: number) =>
  change(wav(), (view) => {
    view.writeUInt16LE(channels, 22)
    view.writeUInt32LE(sampleRate, 24)
    view.writeUInt16LE(channels * 2 > 0xffff ? 1 : channels * 2, 32)
  })

// An AIFF file. `rate` contains the bytes of its sample rate, an 80-bit float.
const aiffOf = (rate: readonly number[], channels = 1) => {
  const common = Buffer.alloc(18)
  common.writeUInt16BE(channels, 0)
  common.writeUInt32BE(4000, 2)
  common.writeUInt16BE(16, 6)
  common.set(rate, 8)
  const chunk = (name: string, bytes: Buffer) => {
    const header = Buffer.alloc(8)
    header.write(name)
    header.writeUInt32BE(bytes.length, 4)
    return Buffer.concat([header, bytes])
  }
  const body = Buffer.concat([
    Buffer.from('AIFF'),
    chunk('COMM', common),
    chunk('SSND', Buffer.alloc(8 + 8000 * channels)),
  ])
  return new Uint8Array(chunk('FORM', body))
}

const audioFiles: readonly (readonly [name: string, contentType: string, bytes: () => Bytes])[] = [
  ['a WAV file with the largest sample rate', 'audio/wav', () => wavOf(0xffff_ffff, 1)],
  ['a WAV file with a sample rate of 0', 'audio/wav', () => wavOf(0, 1)],
  ['a WAV file with 65,535 channels', 'audio/wav', () => wavOf(8000, 65_535)],
  ['a WAV file without channels', 'audio/wav', () => wavOf(8000, 0)],
  ['an AIFF file with a sample rate of 8,000.5', 'audio/aiff', () => aiffOf([0x40, 0x0b, 0xfa, 0x04, 0, 0])],
  ['an AIFF file with a sample rate of 0.5', 'audio/aiff', () => aiffOf([0x3f, 0xfe, 0x80])],
  ['an AIFF file with a negative sample rate', 'audio/aiff', () => aiffOf([0xc0, 0x0b, 0xfa])],
  ['an AIFF file with an infinite sample rate', 'audio/aiff', () => aiffOf([0x7f, 0xff, 0x80])],
  ['an AIFF file whose sample rate is not a number', 'audio/aiff', () => aiffOf([0x7f, 0xff, 0xc0])],
  [
    'an MP4 file that declares four billion samples',
    'audio/mp4',
    () =>
      mp4(
        moov({ sampleSize: 1, sampleCount: 1, chunks: [0], declaredSamples: 2 ** 32 - 1 }),
        box('mdat', Buffer.alloc(1000)),
      ),
  ],
]

describe('the numbers in a file', () => {
  const { onDisk, analyse } = startAnalyses()

  it.each([...hostileNumbers, ...infinities])('become a value that can be stored, or null: %d', (value) => {
    expect(toStoredInteger(value)).toSatisfy(isStorable)
    expect(toMilliseconds(value)).toSatisfy(isStorable)
    const syncText = [
      { timestamp: value, text: 'Line' },
      { timestamp: 1, text: 'Line' },
    ]
    const lyrics = [{ syncText, text: 'Line', timeStampFormat: TimestampFormat.milliseconds }]
    const metadata = { common: { lyrics }, native: {} } as unknown as IAudioMetadata
    const { lines = [] } = readLyrics(metadata) ?? {}
    expect(lines).toContainEqual({ startMs: 1, endMs: null, text: 'Line' })
    for (const { startMs } of lines) expect(startMs).toSatisfy(isStorable)
  })

  it.each([
    [2 ** 32 - 1, 2 ** 32 - 1],
    [2 ** 31, 1],
    [1, 2 ** 31],
  ])('are rejected for an image of %d by %d pixels, and the message says why', async (width, height) => {
    expect(await inspectAsset(await onDisk(await pngOfSize(width, height)), 'image/png')).toEqual({
      failure: {
        code: 'image_size_impossible',
        message: 'The image claims an impossible width or height.',
      },
      width: null,
      height: null,
    })
  })

  it('are accepted up to the largest width that can be stored', async () => {
    const path = await onDisk(await pngOfSize(2 ** 31 - 1, 1))
    expect(await inspectAsset(path, 'image/png')).toEqual({ failure: null, width: 2 ** 31 - 1, height: 1 })
  })

  it.each(audioFiles)('can be stored or are null for %s', async (_, contentType, bytes) => {
    for (const decoder of [null, undefined]) {
      const found = await analyse(bytes(), contentType, decoder)
      if (found.failure) {
        expect(found.failure.message).toMatch(/^The file .+\.$/)
        continue
      }
      for (const value of Object.values(found.measures)) expect(value).toSatisfy(isStorable)
      if (typeof found.waveform === 'string') continue
      for (const value of [found.waveform.sampleRate, found.waveform.channels])
        expect(value).toSatisfy(isStorable)
    }
  })
})

describe('a file with numbers that the database cannot store', () => {
  const gateway = startTestGateway({ storage: true })
  startTestJobs(gateway)
  const signUp = async () => {
    const account = await gateway.signUp()
    return { account, trackId: await insertTrackOf(gateway.database.sql, account.accountId) }
  }
  const failedJobs = () => gateway.log.lines.filter(({ message }) => message === 'job failed')

  it('is checked once if it is an image, without failing the job', async () => {
    const { account, trackId } = await signUp()
    const bytes = await pngOfSize(2 ** 32 - 1, 2 ** 32 - 1)
    await uploadFile(account, trackId, createFile({ bytes, contentType: 'image/png' }), 'artwork')
    const readArtwork = async () => (await account.get(`/v1/tracks/${trackId}/media-assets`)).body.artwork
    await expect.poll(readArtwork, { timeout: 10_000 }).toMatchObject([{ status: 'failed', width: null }])
    expect(failedJobs()).toEqual([])
  })

  it.each(audioFiles)('is processed once without failing the job: %s', async (_, contentType, bytes) => {
    const { account, trackId } = await signUp()
    await uploadFile(account, trackId, createFile({ bytes: bytes(), contentType }))
    const { ingestionRun } = await waitForProcessing(account, trackId)
    expect(ingestionRun.status).toMatch(/^(succeeded|failed)$/)
    expect(failedJobs()).toEqual([])
  })
})
