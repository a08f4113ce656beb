import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { makeTrack, runCore, timestamp } from './running-core.ts'
import { lanes, readLaneStatuses, setLane, storeVersion } from './stored-audio.ts'
import { createUploadIntent, putBytes, runStoringCore, type StoringCore, upload } from './storing-core.ts'

let core: StoringCore
beforeAll(async () => {
  core = await runStoringCore({ MEDIA_INTELLIGENCE_URL: 'http://127.0.0.1:9' })
})
afterAll(() => core.close())

const createTrack = async () => {
  const alice = await core.signIn()
  const trackId = await makeTrack(alice)
  return { alice, trackId, track: `/v1/tracks/${trackId}` }
}

const listJobs = async (queue: string, key: string, value: string) =>
  core.sql`select state from pgboss.job where name = ${queue} and data ->> ${key} = ${value}`

const retryPath = 'processing/media-intelligence/retry'

describe('tracks.uploads.finalize', () => {
  it('makes the first version both original and current, and queues its processing', async () => {
    const { alice, trackId, track } = await createTrack()
    const intent = await createUploadIntent(alice, trackId, 'WAVE')
    await putBytes(intent, 'WAVE')
    const { status, body } = await alice.post(new URL(intent.finalizeUrl).pathname)
    expect(status).toBe(200)
    expect(body).toEqual({
      uploadId: intent.uploadId,
      trackId,
      assetId: intent.assetId,
      status: 'finalized',
      kind: 'version',
      versionId: expect.any(String),
    })
    expect((await alice.get(`${track}/versions`)).body).toEqual({
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
    const processing = await alice.get(`${track}/processing-status`)
    expect(processing.body.ingestionRun).toMatchObject({ trigger: 'upload', status: 'queued' })
    expect(processing.body.stages.map(({ lane }: { lane: string }) => lane)).toEqual(lanes)
    expect(readLaneStatuses(processing)).toEqual(Array(6).fill('processing'))
    expect(await listJobs('process-version', 'runId', processing.body.ingestionRun.id)).toEqual([
      { state: 'created' },
    ])
  })

  it('queues uploaded artwork for a check, and returns no URL for it yet', async () => {
    const { alice, trackId, track } = await createTrack()
    const { assetId, ...rest } = await upload(alice, trackId, 'PNG', {
      folder: 'artwork',
      contentType: 'image/png',
    })
    expect(rest).toMatchObject({ kind: 'artwork', status: 'finalized' })
    expect(rest).not.toHaveProperty('versionId')
    expect(await listJobs('check-asset', 'assetId', assetId)).toEqual([{ state: 'created' }])
    const { body } = await alice.get(`${track}/media-assets`)
    expect(body.artwork).toMatchObject([{ id: assetId, status: 'processing', isPrimary: false, url: null }])
  })

  it.each([
    ['upload_size_mismatch', { byte_size: 5 }],
    ['upload_content_type_mismatch', { content_type: 'audio/flac' }],
  ])('returns %s if the object is not as declared, and the upload stays pending', async (error, declared) => {
    const { alice, trackId } = await createTrack()
    const intent = await createUploadIntent(alice, trackId, 'WAVE')
    await putBytes(intent, 'WAVE')
    await core.sql`update uploads set ${core.sql(declared)} where id = ${intent.uploadId}`
    const { status, body } = await alice.post(new URL(intent.finalizeUrl).pathname)
    expect([status, body]).toEqual([409, { error }])
    const [row] = await core.sql`select status from uploads where id = ${intent.uploadId}`
    expect(row).toEqual({ status: 'pending' })
  })
})

describe('tracks.processing.retry', () => {
  it('queues only the analysis lanes of the current audio', async () => {
    const { alice, trackId, track } = await createTrack()
    await storeVersion(core, trackId)
    for (const lane of lanes) await setLane(core, trackId, lane, 'ready')
    const { status, body } = await alice.post(`${track}/${retryPath}`)
    expect([status, body]).toEqual([202, { trackId, dispatchId: expect.any(String), status: 'dispatched' }])
    const processing = await alice.get(`${track}/processing-status`)
    expect(readLaneStatuses(processing)).toEqual(['ready', 'ready', ...Array(4).fill('processing')])
    expect(processing.body.remoteDispatches).toMatchObject([{ id: body.dispatchId, status: 'queued' }])
    expect(await listJobs('dispatch-analysis', 'dispatchId', body.dispatchId)).toEqual([{ state: 'created' }])
  })

  it('returns 503 if the core has no analysis service', async () => {
    const own = await runCore()
    onTestFinished(own.close)
    const alice = await own.signIn()
    const { status, body } = await alice.post(`/v1/tracks/${await makeTrack(alice)}/${retryPath}`)
    expect([status, body]).toEqual([503, { error: 'media_intelligence_unavailable' }])
  })
})
