import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeTrack, type RunningCore, runCore, timestamp } from './running-core.ts'
import { storeVersion } from './stored-audio.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

const storePeaks = async (trackId: string, bits: 8 | 16, data: Buffer) => {
  const { versionId, assetId } = await storeVersion(core, trackId)
  await core.sql`
    insert into track_peaks (version_id, track_id, asset_id, channels, sample_rate, samples_per_pixel, bits, length,
      data, duration_ms)
    values (${versionId}, ${trackId}, ${assetId}, 2, 44100, 256, ${bits}, 1, ${data}, 180000)`
  return { versionId, assetId }
}

describe('tracks.peaks.detail', () => {
  it('returns the waveform of the current version', async () => {
    const alice = await core.signIn()
    const trackId = await makeTrack(alice)
    const { versionId, assetId } = await storePeaks(
      trackId,
      8,
      Buffer.from(Int8Array.from([-128, 127, -1, 0])),
    )
    await storePeaks(trackId, 8, Buffer.from([9, 9, 9, 9]))
    expect((await alice.get(`/v1/tracks/${trackId}/peaks`)).body).toEqual({
      trackId,
      versionId,
      assetId,
      version: 2,
      channels: 2,
      sampleRate: 44_100,
      samplesPerPixel: 256,
      bits: 8,
      length: 1,
      data: [-128, 127, -1, 0],
      durationMs: 180_000,
      createdAt: expect.stringMatching(timestamp),
    })
  })

  it('reads 16-bit samples as little-endian', async () => {
    const alice = await core.signIn()
    const trackId = await makeTrack(alice)
    await storePeaks(trackId, 16, Buffer.from([0x00, 0x80, 0xff, 0x7f, 0xff, 0xff, 0x01, 0x00]))
    expect((await alice.get(`/v1/tracks/${trackId}/peaks`)).body.data).toEqual([-32_768, 32_767, -1, 1])
  })

  it('returns peaks_not_found without a waveform', async () => {
    const alice = await core.signIn()
    const trackId = await makeTrack(alice)
    for (const prepare of [() => {}, () => storeVersion(core, trackId)]) {
      await prepare()
      const { status, body } = await alice.get(`/v1/tracks/${trackId}/peaks`)
      expect([status, body]).toEqual([404, { error: 'peaks_not_found' }])
    }
  })
})
