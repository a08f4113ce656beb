import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { ffmpeg } from '#test/support/ffmpeg.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { startTestJobs, waitForProcessing } from '#test/support/jobs.ts'
import { readMediaFile, sine, wav } from '#test/support/media/audio-files.ts'
import { encodeSamples, formatPiece, soundPiece, writeContainer } from '#test/support/media/chunked-files.ts'
import { constantFlac } from '#test/support/media/flac.ts'
import { createFile, finalizeUpload, putBytes, putFile, uploadFile } from '#test/support/uploads.ts'

describe('processVersion', () => {
  const gateway = startTestGateway({ storage: true })
  startTestJobs(gateway)
  const signUp = async () => {
    const account = await gateway.signUp()
    return { account, trackId: await insertTrackOf(gateway.database.sql, account.accountId) }
  }

  it.skipIf(!ffmpeg)(
    'marks the version ready with its duration, sample rate, channels, waveform and tags',
    async () => {
      const { account, trackId } = await signUp()
      const bytes = await readMediaFile('sine.mp3')
      const { versionId, assetId } = await uploadFile(
        account,
        trackId,
        createFile({ bytes, contentType: 'audio/mpeg' }),
      )
      const status = await waitForProcessing(account, trackId)
      expect(status).toEqual({
        trackId,
        stages: expect.any(Array),
        assets: [
          {
            id: assetId,
            kind: 'original',
            status: 'ready',
            versionId,
            contentType: 'audio/mpeg',
            byteSize: bytes.length,
            createdAt: expect.any(String),
          },
        ],
        remoteDispatches: [],
        ingestionRun: {
          id: expect.any(String),
          trigger: 'upload',
          status: 'succeeded',
          startedAt: expect.any(String),
          completedAt: expect.any(String),
          error: null,
        },
        readiness: {
          playback: { status: 'ready', ready: true, updatedAt: expect.any(String) },
          waveform: { status: 'ready', ready: true, updatedAt: expect.any(String) },
          tags: { status: 'ready', ready: true, updatedAt: expect.any(String) },
          stems: { status: 'skipped', ready: false, updatedAt: expect.any(String) },
          lyrics: { status: 'skipped', ready: false, updatedAt: expect.any(String) },
          embeddings: { status: 'skipped', ready: false, updatedAt: expect.any(String) },
        },
      })
      expect(
        Object.fromEntries(status.stages.map((stage: { lane: string }) => [stage.lane, stage])),
      ).toMatchObject({
        playback: { status: 'succeeded', attempt: 1, progress: 1, error: null },
        waveform: { status: 'succeeded', attempt: 1 },
        stems: { status: 'skipped', attempt: 0 },
      })
      const { versions } = (await account.get(`/v1/tracks/${trackId}/versions`)).body
      expect(versions).toMatchObject([{ status: 'ready', durationMs: 2000, sampleRate: 44_100, channels: 2 }])
      const { tags } = (await account.get(`/v1/tracks/${trackId}/tags`)).body
      expect(tags).toMatchObject([
        { category: 'bpm', value: '120', numericValue: 120, source: 'file', confidence: null },
        { category: 'genre', value: 'ambient', label: 'Ambient' },
        { category: 'key', value: 'am', label: 'Am' },
      ])
      const track = await gateway.database
        .sql`select duration_ms, processing_state from tracks where id = ${trackId}`
      expect(track).toMatchObject([{ duration_ms: 2000, processing_state: 'ready' }])
    },
  )

  it('provides peaks in the audiowaveform format', async () => {
    const { account, trackId } = await signUp()
    const bytes = wav({ seconds: 3, sampleRate: 16_000, channels: 2, sampleAt: sine(200, 0.5) })
    expect((await account.get(`/v1/tracks/${trackId}/peaks`)).status).toBe(404)
    const { versionId, assetId } = await uploadFile(account, trackId, createFile({ bytes }))
    await waitForProcessing(account, trackId)
    const { body: peaks } = await account.get(`/v1/tracks/${trackId}/peaks`)
    expect(peaks).toMatchObject({
      trackId,
      versionId,
      assetId,
      version: 2,
      channels: 2,
      bits: 8,
      durationMs: 3000,
    })
    expect(peaks).toMatchObject({ sampleRate: 16_000, samplesPerPixel: 256, length: 188 })
    expect(peaks.data).toHaveLength(peaks.length * 2 * peaks.channels)
    expect(Math.min(...peaks.data)).toBe(-64)
    // Half of full scale, rounded up or down.
    expect([63, 64]).toContain(Math.max(...peaks.data))
  })

  it('keeps the file that was analysed, even if the client uploads different bytes to the same URL', async () => {
    const { account, trackId } = await signUp()
    const file = createFile({ bytes: wav({ seconds: 1 }) })
    const intent = await putFile(account, trackId, file)
    await finalizeUpload(account, intent)
    await waitForProcessing(account, trackId)
    expect((await putBytes(intent, file.bytes.toReversed())).status).toBe(200)
    expect((await finalizeUpload(account, intent)).status).toBe(200)
    const { url } = (await account.get(`/v1/tracks/${trackId}/playback-url`)).body
    expect(new Uint8Array(await (await fetch(url)).arrayBuffer())).toEqual(file.bytes)
    const removals = await gateway.database.sql<{ storage_key: string }[]>`
      select storage_key from object_removals
      where storage_key like ${`%${intent.assetId}%`} or storage_key = ${`uploads/${intent.uploadId}`}`
    expect(removals.map(({ storage_key }) => storage_key)).toEqual([`uploads/${intent.uploadId}`])
  })

  it('imports embedded lyrics unless the owner has written their own', async () => {
    const { account, trackId } = await signUp()
    const other = await insertTrackOf(gateway.database.sql, account.accountId)
    await account.put(`/v1/tracks/${other}/lyrics`, { text: 'Mine' })
    const file = createFile({ bytes: await readMediaFile('sine.flac'), contentType: 'audio/flac' })
    await uploadFile(account, trackId, file)
    await uploadFile(account, other, file)
    expect((await waitForProcessing(account, trackId)).readiness.lyrics.status).toBe('ready')
    await waitForProcessing(account, other)
    expect((await account.get(`/v1/tracks/${trackId}/lyrics`)).body).toMatchObject({
      text: 'First line\nSecond line',
      source: 'import',
      status: 'ready',
    })
    expect((await account.get(`/v1/tracks/${other}/lyrics`)).body).toMatchObject({
      text: 'Mine',
      source: 'user',
    })
  })

  it('keeps a tag of the file that an earlier analysis had recognized too, unless its owner hid it', async () => {
    const { sql } = gateway.database
    const { account, trackId } = await signUp()
    await sql`
      insert into track_tags (id, track_id, category, value, label, confidence, source, hidden) values
        (${`${trackId}-1`}, ${trackId}, 'genre', 'ambient', 'ambient', 0.7, 'ai', false),
        (${`${trackId}-2`}, ${trackId}, 'bpm', '120', '120', 0.7, 'ai', true)`
    const file = createFile({ bytes: await readMediaFile('sine.flac'), contentType: 'audio/flac' })
    await uploadFile(account, trackId, file)
    await waitForProcessing(account, trackId)
    const { tags } = (await account.get(`/v1/tracks/${trackId}/tags?includeHidden=true`)).body
    expect(tags).toContainEqual(
      expect.objectContaining({ value: 'ambient', label: 'Ambient', source: 'file', confidence: null }),
    )
    expect(tags).toContainEqual(expect.objectContaining({ value: '120', source: 'ai', hidden: true }))
  })

  it.each([
    ['type_mismatch', createFile({ contentType: 'audio/mpeg' })],
    ['audio_truncated', createFile({ bytes: wav({ seconds: 4 }).slice(0, 20_000) })],
  ])('marks a version as failed with %s', async (code, file) => {
    const { account, trackId } = await signUp()
    await uploadFile(account, trackId, file)
    const status = await waitForProcessing(account, trackId)
    expect(status.ingestionRun).toMatchObject({
      status: 'failed',
      error: { code, message: expect.any(String) },
    })
    expect(status.readiness.playback).toMatchObject({ status: 'failed', ready: false })
    expect(status.assets).toMatchObject([{ status: 'failed' }])
    expect((await account.get(`/v1/tracks/${trackId}/versions`)).body.versions).toMatchObject([
      { status: 'failed' },
    ])
    const playback = await account.get(`/v1/tracks/${trackId}/playback-url`)
    expect(playback.body).toEqual(errorBody('playback_not_found'))
  })

  it('rounds a fractional sample rate and duration, and stores them at the first attempt', async () => {
    const { account, trackId } = await signUp()
    const format = { encoding: 'int16', channels: 1, sampleRate: 8912.75, frames: 4000 } as const
    const samples = encodeSamples('AIFF', 'int16', Array(4000).fill(64))
    const bytes = writeContainer('AIFF', [formatPiece('AIFF', format), soundPiece('AIFF', samples)])
    await uploadFile(account, trackId, createFile({ bytes, contentType: 'audio/aiff' }))
    const status = await waitForProcessing(account, trackId)
    expect(status.ingestionRun).toMatchObject({ status: 'succeeded' })
    const { versions } = (await account.get(`/v1/tracks/${trackId}/versions`)).body
    expect(versions).toMatchObject([{ status: 'ready', durationMs: 449, sampleRate: 8913 }])
    const jobs = await gateway.database.sql`
      select state, retry_count from pgboss.job where data->>'runId' = ${status.ingestionRun.id}`
    expect(jobs).toMatchObject([{ state: 'completed', retry_count: 0 }])
  })

  it('marks a version as failed without a retry if its analysis exceeds a limit', async () => {
    const { account, trackId } = await signUp()
    const bytes = constantFlac({ frames: 2, declaredSamples: 44_100 * 3600 })
    await uploadFile(account, trackId, createFile({ bytes, contentType: 'audio/flac' }))
    const status = await waitForProcessing(account, trackId)
    const error = {
      code: 'processing_limit_exceeded',
      message: 'The file needs more memory or time to process than is allowed.',
    }
    expect(status.ingestionRun).toMatchObject({ status: 'failed', error })
    expect(status.assets).toMatchObject([{ status: 'failed' }])
    const jobs = await gateway.database.sql`
      select state, retry_count from pgboss.job where data->>'runId' = ${status.ingestionRun.id}`
    expect(jobs).toMatchObject([{ state: 'completed', retry_count: 0 }])
  })

  it('keeps the current audio if another version fails', async () => {
    const { account, trackId } = await signUp()
    await uploadFile(account, trackId, createFile({ bytes: wav({ seconds: 1 }) }))
    await waitForProcessing(account, trackId)
    // The default file is not audio.
    await uploadFile(account, trackId, createFile())
    const status = await waitForProcessing(account, trackId)
    expect(status.ingestionRun).toMatchObject({ status: 'failed' })
    expect(status.readiness).toMatchObject({ playback: { status: 'ready' }, waveform: { status: 'ready' } })
    expect((await account.get(`/v1/tracks/${trackId}/peaks`)).body.durationMs).toBe(1000)
  })
})

describe('processVersion without ffmpeg', () => {
  const gateway = startTestGateway({ storage: true })
  startTestJobs(gateway, { environment: () => ({ FFMPEG_PATH: '/missing/ffmpeg' }) })

  it('marks the version ready with its measurements and tags, and says why it has no waveform', async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const bytes = await readMediaFile('sine.mp3')
    await uploadFile(account, trackId, createFile({ bytes, contentType: 'audio/mpeg' }))
    const { readiness, stages, ingestionRun } = await waitForProcessing(account, trackId)
    expect(ingestionRun).toMatchObject({ status: 'succeeded', error: null })
    expect(readiness).toMatchObject({
      playback: { status: 'ready', ready: true },
      waveform: { status: 'skipped', ready: false },
      tags: { status: 'ready', ready: true },
    })
    expect(stages.find(({ lane }: { lane: string }) => lane === 'waveform')).toMatchObject({
      status: 'skipped',
      error: {
        code: 'decoder_unavailable',
        message: 'The audio can be played, but no decoder is installed to draw its waveform.',
      },
    })
    const { versions } = (await account.get(`/v1/tracks/${trackId}/versions`)).body
    expect(versions).toMatchObject([{ status: 'ready', durationMs: 2000, sampleRate: 44_100, channels: 2 }])
    expect((await account.get(`/v1/tracks/${trackId}/tags`)).body.tags).toHaveLength(3)
    expect((await account.get(`/v1/tracks/${trackId}/playback-url`)).status).toBe(200)
    expect((await account.get(`/v1/tracks/${trackId}/peaks`)).body).toMatchObject({
      error: 'peaks_not_found',
    })
  })

  it('still calculates the waveform of uncompressed audio', async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    await uploadFile(account, trackId, createFile({ bytes: wav({ seconds: 1 }) }))
    expect((await waitForProcessing(account, trackId)).readiness.waveform.status).toBe('ready')
  })
})

describe('checkAsset', () => {
  const gateway = startTestGateway({ storage: true })
  startTestJobs(gateway)

  it('makes the first valid artwork primary', async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const png = createFile({
      fileName: 'cover.png',
      contentType: 'image/png',
      bytes: await readMediaFile('cover.png'),
    })
    const bad = await uploadFile(account, trackId, { ...png, contentType: 'image/jpeg' }, 'artwork')
    const good = await uploadFile(account, trackId, png, 'artwork')
    const assets = async () => (await account.get(`/v1/tracks/${trackId}/media-assets`)).body.artwork
    await expect
      .poll(async () => JSON.stringify(await assets()), { timeout: 10_000 })
      .not.toContain('processing')
    const later = await uploadFile(account, trackId, png, 'artwork')
    await expect
      .poll(async () => JSON.stringify(await assets()), { timeout: 10_000 })
      .not.toContain('processing')
    expect(await assets()).toMatchObject([
      { id: later.assetId, status: 'ready', isPrimary: false },
      { id: good.assetId, status: 'ready', isPrimary: true, width: 40, height: 30 },
      { id: bad.assetId, status: 'failed', isPrimary: false, url: null },
    ])
    const [first] = await assets()
    expect((await fetch(first.url)).headers.get('content-type')).toBe('image/png')
  })
})
