import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeTrack, timestamp } from './running-core.ts'
import { createUploadIntent, putBytes, runStoringCore, type StoringCore, upload } from './storing-core.ts'

let core: StoringCore
beforeAll(async () => {
  core = await runStoringCore()
})
afterAll(() => core.close())

const lanes = ['playback', 'waveform', 'tags', 'stems', 'lyrics', 'embeddings']

const createTrack = async () => {
  const alice = await core.signIn()
  return { alice, trackId: await makeTrack(alice) }
}

const listJobs = async (queue: string, key: string, value: string) =>
  core.sql`select state from pgboss.job where name = ${queue} and data ->> ${key} = ${value}`

describe('tracks.uploads.finalize', () => {
  it('makes the first version the current original and queues its processing', async () => {
    const { alice, trackId } = await createTrack()
    const intent = await createUploadIntent(alice, trackId, 'WAVE')
    await putBytes(intent, 'WAVE')
    const finalize = new URL(intent.finalizeUrl).pathname
    const { status, body } = await alice.post(finalize)
    expect(status).toBe(200)
    expect(body).toEqual({
      uploadId: intent.uploadId,
      trackId,
      assetId: intent.assetId,
      status: 'finalized',
      kind: 'version',
      versionId: expect.any(String),
    })
    const versions = await alice.get(`/v1/tracks/${trackId}/versions`)
    expect(versions.body).toEqual({
      trackId,
      currentVersionId: body.versionId,
      versions: [
        {
          id: body.versionId,
          versionNumber: 1,
          label: null,
          isOriginal: true,
          isCurrent: true,
          status: 'processing',
          fileName: 'tide.wav',
          contentType: 'audio/wav',
          byteSize: 4,
          durationMs: null,
          sampleRate: null,
          channels: null,
          assetId: intent.assetId,
          createdAt: expect.stringMatching(timestamp),
        },
      ],
    })
    const processing = await alice.get(`/v1/tracks/${trackId}/processing-status`)
    expect(processing.body.ingestionRun).toMatchObject({ trigger: 'upload', status: 'queued' })
    expect(processing.body.stages.map(({ lane }: { lane: string }) => lane)).toEqual(lanes)
    expect(lanes.map((lane) => processing.body.readiness[lane].status)).toEqual(Array(6).fill('processing'))
    expect(await listJobs('process-version', 'runId', processing.body.ingestionRun.id)).toEqual([
      { state: 'created' },
    ])
  })

  it('does not make a later version current', async () => {
    const { alice, trackId } = await createTrack()
    const first = await upload(alice, trackId, 'WAVE')
    await upload(alice, trackId, 'WAVES')
    const { body } = await alice.get(`/v1/tracks/${trackId}/versions`)
    expect(body.currentVersionId).toBe(first.versionId)
    expect(body.versions.map((version: { versionNumber: number }) => version.versionNumber)).toEqual([1, 2])
  })

  it('queues a check of artwork, and returns no URL for it yet', async () => {
    const { alice, trackId } = await createTrack()
    const { assetId, ...rest } = await upload(alice, trackId, 'PNG', {
      folder: 'artwork',
      contentType: 'image/png',
    })
    expect(rest).toMatchObject({ kind: 'artwork', status: 'finalized' })
    expect(rest).not.toHaveProperty('versionId')
    expect(await listJobs('check-asset', 'assetId', assetId)).toEqual([{ state: 'created' }])
    const { body } = await alice.get(`/v1/tracks/${trackId}/media-assets`)
    expect(body.artwork).toMatchObject([{ id: assetId, status: 'processing', isPrimary: false, url: null }])
  })

  it('returns upload_object_missing before the upload, and succeeds after it', async () => {
    const { alice, trackId } = await createTrack()
    const intent = await createUploadIntent(alice, trackId, 'WAVE')
    const finalize = new URL(intent.finalizeUrl).pathname
    const early = await alice.post(finalize)
    expect([early.status, early.body]).toEqual([409, { error: 'upload_object_missing' }])
    expect((await alice.get(`/v1/tracks/${trackId}/versions`)).body.versions).toEqual([])
    await putBytes(intent, 'WAVE')
    expect((await alice.post(finalize)).status).toBe(200)
  })

  it.each([
    ['upload_size_mismatch', { byte_size: 5 }],
    ['upload_content_type_mismatch', { content_type: 'audio/flac' }],
  ])('returns %s if the object does not match, and leaves the upload pending', async (error, declared) => {
    const { alice, trackId } = await createTrack()
    const intent = await createUploadIntent(alice, trackId, 'WAVE')
    await putBytes(intent, 'WAVE')
    await core.sql`update uploads set ${core.sql(declared)} where id = ${intent.uploadId}`
    const { status, body } = await alice.post(new URL(intent.finalizeUrl).pathname)
    expect([status, body]).toEqual([409, { error }])
    const [row] = await core.sql`select status from uploads where id = ${intent.uploadId}`
    expect(row).toEqual({ status: 'pending' })
  })

  it('accepts an upload for up to one hour after its URL expires', async () => {
    const { alice, trackId } = await createTrack()
    const results = []
    for (const late of ['59 minutes', '61 minutes']) {
      const intent = await createUploadIntent(alice, trackId, 'WAVE')
      await putBytes(intent, 'WAVE')
      await core.sql`update uploads set expires_at = now() - ${late}::interval where id = ${intent.uploadId}`
      const { status, body } = await alice.post(new URL(intent.finalizeUrl).pathname)
      results.push([status, body.error])
    }
    expect(results).toEqual([
      [200, undefined],
      [409, 'upload_expired'],
    ])
  })

  it('returns 404 for an upload of another track', async () => {
    const { alice, trackId } = await createTrack()
    const { uploadId } = await createUploadIntent(alice, trackId, 'WAVE')
    for (const path of [
      `/v1/tracks/${await makeTrack(alice)}/uploads/${uploadId}`,
      `/v1/tracks/${trackId}/uploads/x`,
    ]) {
      const { status, body } = await alice.post(`${path}/finalize`)
      expect([status, body]).toEqual([404, { error: 'upload_not_found' }])
    }
  })
})
