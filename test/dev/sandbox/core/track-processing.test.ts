import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Caller, makeTrack, type RunningCore, runCore, timestamp } from './running-core.ts'
import { setLane, storeVersion } from './stored-audio.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore({ offersAnalysis: true })
})
afterAll(() => core.close())

const lanes = ['playback', 'waveform', 'tags', 'stems', 'lyrics', 'embeddings']

const createTrack = async () => {
  const alice = await core.signIn()
  const trackId = await makeTrack(alice)
  const retry = () => alice.post(`/v1/tracks/${trackId}/processing/media-intelligence/retry`)
  return { alice, trackId, retry }
}

const readStatus = async (caller: Caller, trackId: string) =>
  (await caller.get(`/v1/tracks/${trackId}/processing-status`)).body

describe('tracks.processing.status', () => {
  it('returns all lanes as pending for a track without audio', async () => {
    const { alice, trackId } = await createTrack()
    const pending = { status: 'pending', ready: false, updatedAt: null }
    expect(await readStatus(alice, trackId)).toEqual({
      trackId,
      stages: [],
      assets: [],
      remoteDispatches: [],
      readiness: Object.fromEntries(lanes.map((lane) => [lane, pending])),
    })
  })

  it('returns stages, assets, the run, dispatches and readiness of the current audio', async () => {
    const { alice, trackId } = await createTrack()
    const { versionId, assetId } = await storeVersion(core, trackId)
    const other = await storeVersion(core, trackId)
    const [stageId, runId, dispatchId] = [randomUUID(), randomUUID(), randomUUID()]
    for (const [id, version] of [
      [stageId, versionId],
      [randomUUID(), other.versionId],
    ] as const)
      await core.sql`
        insert into processing_stages (id, track_id, version_id, lane, status, attempt, progress, error_code, error_message)
        values (${id}, ${trackId}, ${version}, 'waveform', 'failed', 2, 0.5, 'unreadable', 'The file cannot be read.')`
    await core.sql`
      insert into ingestion_runs (id, track_id, version_id, trigger, status, created_at)
      values (${randomUUID()}, ${trackId}, ${versionId}, 'upload', 'succeeded', now() - interval '1 hour'),
        (${runId}, ${trackId}, ${versionId}, 'retry', 'running', now())`
    await core.sql`
      insert into media_dispatches (id, track_id, version_id, status, attempt, remote_id)
      values (${dispatchId}, ${trackId}, ${versionId}, 'failed', 1, 'theirs')`
    await setLane(core, trackId, 'playback', 'ready')
    await setLane(core, trackId, 'stems', 'failed')
    const body = await readStatus(alice, trackId)
    expect(body.stages).toEqual([
      {
        id: stageId,
        lane: 'waveform',
        status: 'failed',
        attempt: 2,
        progress: 0.5,
        startedAt: null,
        completedAt: null,
        error: { code: 'unreadable', message: 'The file cannot be read.' },
        updatedAt: expect.stringMatching(timestamp),
      },
    ])
    expect(body.assets[0]).toEqual({
      id: assetId,
      kind: 'original',
      status: 'ready',
      versionId,
      contentType: 'audio/wav',
      byteSize: 1000,
      createdAt: expect.stringMatching(timestamp),
    })
    expect(body.ingestionRun).toEqual({
      id: runId,
      trigger: 'retry',
      status: 'running',
      startedAt: null,
      completedAt: null,
      error: null,
    })
    expect(body.remoteDispatches).toEqual([
      {
        id: dispatchId,
        kind: 'media_intelligence',
        status: 'failed',
        attempt: 1,
        dispatchedAt: null,
        completedAt: null,
        error: null,
      },
    ])
    expect(body.readiness).toMatchObject({
      playback: { status: 'ready', ready: true, updatedAt: expect.stringMatching(timestamp) },
      stems: { status: 'failed', ready: false },
      waveform: { status: 'pending', ready: false },
    })
  })
})

describe('the stages of tracks.processing.status', () => {
  it('belong to the most recently processed version', async () => {
    const { alice, trackId } = await createTrack()
    const versions = [await storeVersion(core, trackId), await storeVersion(core, trackId)]
    for (const [index, { versionId }] of versions.entries()) {
      await core.sql`
        insert into processing_stages (id, track_id, version_id, lane, status)
        values (${randomUUID()}, ${trackId}, ${versionId}, 'waveform', ${index === 0 ? 'succeeded' : 'running'})`
      await core.sql`
        insert into ingestion_runs (id, track_id, version_id, trigger, status, created_at)
        values (${randomUUID()}, ${trackId}, ${versionId}, 'upload', 'running', now() + ${`${index} seconds`}::interval)`
    }
    expect((await readStatus(alice, trackId)).stages).toMatchObject([{ lane: 'waveform', status: 'running' }])
  })
})

describe('tracks.processing.retry', () => {
  it('queues only the analysis lanes of the current audio', async () => {
    const { alice, trackId, retry } = await createTrack()
    await storeVersion(core, trackId)
    for (const lane of lanes) await setLane(core, trackId, lane, 'ready')
    const { status, body } = await retry()
    expect([status, body]).toEqual([202, { trackId, dispatchId: expect.any(String), status: 'dispatched' }])
    const processing = await readStatus(alice, trackId)
    expect(lanes.map((lane) => processing.readiness[lane].status)).toEqual([
      'ready',
      'ready',
      ...Array(4).fill('processing'),
    ])
    expect(processing.remoteDispatches).toMatchObject([{ id: body.dispatchId, status: 'queued' }])
    const jobs = await core.sql`
      select state from pgboss.job where name = 'dispatch-analysis' and data ->> 'dispatchId' = ${body.dispatchId}`
    expect(jobs).toEqual([{ state: 'created' }])
  })

  it('returns version_not_ready without ready audio', async () => {
    const { trackId, retry } = await createTrack()
    for (const prepare of [() => {}, () => storeVersion(core, trackId, { status: 'processing' })]) {
      await prepare()
      const { status, body } = await retry()
      expect([status, body]).toEqual([409, { error: 'version_not_ready' }])
    }
  })

  it('returns 503 without an analysis service', async () => {
    const own = await runCore()
    onTestFinished(own.close)
    const alice = await own.signIn()
    const retry = `/v1/tracks/${await makeTrack(alice)}/processing/media-intelligence/retry`
    const { status, body } = await alice.post(retry)
    expect([status, body]).toEqual([503, { error: 'media_intelligence_unavailable' }])
  })
})
