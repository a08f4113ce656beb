import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { insertVersion } from '#test/support/track-fixtures.ts'

describe('tracks.peaks.detail', () => {
  const gateway = startTestGateway()

  const track = async () => {
    const alice = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    return { alice, trackId, path: `/v1/tracks/${trackId}/peaks` }
  }

  const insertPeaks = (
    trackId: string,
    version: { id: string; assetId: string },
    bits: 8 | 16,
    data: Buffer,
  ) =>
    gateway.database.sql`insert into track_peaks ${gateway.database.sql({
      version_id: version.id,
      track_id: trackId,
      asset_id: version.assetId,
      channels: 2,
      sample_rate: 44100,
      samples_per_pixel: 256,
      bits,
      length: 1,
      data,
      duration_ms: 6,
    })}`

  it.each([
    [8, Buffer.from(Int8Array.of(-128, 127, -1, 0).buffer), [-128, 127, -1, 0]],
    [16, Buffer.from('0080ff7fffff0001', 'hex'), [-32768, 32767, -1, 256]],
  ] as const)(
    'returns the waveform of the current version with %i bits per sample',
    async (bits, stored, data) => {
      const { alice, trackId, path } = await track()
      const version = await insertVersion(gateway.database.sql, trackId)
      await insertPeaks(trackId, version, bits, stored)
      const response = await alice.get(path)
      expect(response.status).toBe(200)
      expect(response.body).toEqual({
        trackId,
        versionId: version.id,
        assetId: version.assetId,
        version: 2,
        channels: 2,
        sampleRate: 44100,
        samplesPerPixel: 256,
        bits,
        length: 1,
        data,
        durationMs: 6,
        createdAt: expect.any(String),
      })
    },
  )

  it.each([
    [8, '', 8, [-128, 127, -1, 0]],
    [8, '&bits=8', 8, [-128, 127, -1, 0]],
    [8, '&bits=16', 16, [-32768, 32512, -256, 0]],
    [16, '', 8, [-128, 127, 0, 1]],
    [16, '&bits=16', 16, [-32768, 32767, -1, 256]],
    [16, '&bits=8', 8, [-128, 127, 0, 1]],
  ] as const)(
    'returns %i-bit waveforms as audiowaveform JSON for format=audiowaveform%s',
    async (stored, query, bits, data) => {
      const { alice, trackId, path } = await track()
      const version = await insertVersion(gateway.database.sql, trackId)
      const bytes = { 8: Int8Array.of(-128, 127, -1, 0), 16: Int16Array.of(-32768, 32767, -1, 256) }[stored]
      await insertPeaks(trackId, version, stored, Buffer.from(bytes.buffer))
      const { status, body } = await alice.get(`${path}?format=audiowaveform${query}`)
      expect(status).toBe(200)
      expect(body).toMatchObject({
        version: 2,
        channels: 2,
        sample_rate: 44100,
        samples_per_pixel: 256,
        bits,
        length: 1,
        data,
      })
      // The other fields are the gateway's own, as clients get them without `format`.
      const { body: plain } = await alice.get(`${path}?bits=8`)
      const { sample_rate: _rate, samples_per_pixel: _scale, ...rest } = body
      expect({ ...rest, bits: plain.bits, data: plain.data }).toEqual(plain)
      expect(plain).toEqual((await alice.get(path)).body)
    },
  )

  it.each(['format=dat', 'format=', 'format=audiowaveform&bits=12', 'bits=08'])(
    'returns 400 for %s',
    async (query) => {
      const { alice, path } = await track()
      const { status, body } = await alice.get(`${path}?${query}`)
      expect([status, body.error]).toEqual([400, 'validation_error'])
    },
  )

  it('returns 404 for a track without audio', async () => {
    const { alice, path } = await track()
    const response = await alice.get(path)
    expect(response.status).toBe(404)
    expect(response.body).toEqual(errorBody('peaks_not_found'))
  })

  it('returns 404 if the current version has no waveform, even if another has one', async () => {
    const { alice, trackId, path } = await track()
    const original = await insertVersion(gateway.database.sql, trackId)
    await insertPeaks(trackId, original, 8, Buffer.alloc(4))
    await insertVersion(gateway.database.sql, trackId, { isCurrent: true })
    expect((await alice.get(path)).body).toEqual(errorBody('peaks_not_found'))
  })
})
