import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CoreResponse, makePack, makeTrack, type RunningCore, runCore } from './running-core.ts'
import { setLane, storeVersion } from './stored-audio.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

const lanes = ['playback', 'waveform', 'tags', 'stems', 'lyrics', 'embeddings']

/** Creates a track with two ready versions; the original is current and fully processed. */
const createTwoVersions = async () => {
  const alice = await core.signIn()
  const trackId = await makeTrack(alice)
  const original = await storeVersion(core, trackId, { durationMs: 1000 })
  const second = await storeVersion(core, trackId, { durationMs: 2000 })
  for (const lane of lanes) await setLane(core, trackId, lane, 'ready')
  return { alice, trackId, versions: `/v1/tracks/${trackId}/versions`, original, second }
}

const readCurrent = ({ body }: CoreResponse) => [
  body.currentVersionId,
  body.versions
    .filter((version: { isCurrent: boolean }) => version.isCurrent)
    .map((version: { id: string }) => version.id),
]

const readStatuses = ({ body }: CoreResponse) => lanes.map((lane) => body.readiness[lane].status)

describe('tracks.versions.list', () => {
  it('returns an empty list for a track without audio', async () => {
    const alice = await core.signIn()
    const trackId = await makeTrack(alice)
    expect((await alice.get(`/v1/tracks/${trackId}/versions`)).body).toEqual({
      trackId,
      currentVersionId: null,
      versions: [],
    })
  })

  it('omits storage keys and URLs', async () => {
    const { alice, versions } = await createTwoVersions()
    expect(JSON.stringify((await alice.get(versions)).body)).not.toMatch(/storage|assets\/|playbackUrl/)
  })
})

describe('tracks.versions.promote', () => {
  it('makes a version current and queues its processing', async () => {
    const { alice, trackId, versions, second } = await createTwoVersions()
    const response = await alice.post(`${versions}/${second.versionId}/promote`)
    expect(response.status).toBe(200)
    expect(readCurrent(response)).toEqual([second.versionId, [second.versionId]])
    const processing = await alice.get(`/v1/tracks/${trackId}/processing-status`)
    expect(readStatuses(processing)).toEqual(['ready', ...Array(5).fill('processing')])
    expect(processing.body.ingestionRun).toMatchObject({ trigger: 'promote', status: 'queued' })
    expect((await alice.get(`/v1/tracks/${trackId}`)).body).toMatchObject({
      currentVersionId: second.versionId,
      durationMs: 2000,
      processingState: 'ready',
    })
  })

  it('changes nothing if the version is already current', async () => {
    const { alice, trackId, versions, original } = await createTwoVersions()
    const response = await alice.post(`${versions}/${original.versionId}/promote`)
    expect([response.status, ...readCurrent(response)]).toEqual([
      200,
      original.versionId,
      [original.versionId],
    ])
    const processing = await alice.get(`/v1/tracks/${trackId}/processing-status`)
    expect(readStatuses(processing)).toEqual(Array(6).fill('ready'))
    expect(processing.body).not.toHaveProperty('ingestionRun')
  })

  it.each(['processing', 'failed'] as const)(
    'returns version_not_ready for a version that is %s',
    async (status) => {
      const { alice, trackId, versions, original } = await createTwoVersions()
      const { versionId } = await storeVersion(core, trackId, { status })
      const response = await alice.post(`${versions}/${versionId}/promote`)
      expect([response.status, response.body]).toEqual([409, { error: 'version_not_ready' }])
      expect(readCurrent(await alice.get(versions))).toEqual([original.versionId, [original.versionId]])
    },
  )

  it('returns 404 for a version of another track', async () => {
    const [one, other] = [await createTwoVersions(), await createTwoVersions()]
    for (const id of [other.second.versionId, 'none', 'not%20an%20id']) {
      const promoted = await one.alice.post(`${one.versions}/${id}/promote`)
      expect([promoted.status, promoted.body]).toEqual([404, { error: 'version_not_found' }])
      const removed = await one.alice.delete(`${one.versions}/${id}`)
      expect([removed.status, removed.body]).toEqual([404, { error: 'version_not_found' }])
    }
  })
})

describe('tracks.versions.remove', () => {
  it('removes a version and schedules the removal of its file', async () => {
    const { alice, versions, original, second } = await createTwoVersions()
    const response = await alice.delete(`${versions}/${second.versionId}`)
    expect(response.status).toBe(200)
    expect(response.body.versions.map((version: { id: string }) => version.id)).toEqual([original.versionId])
    expect(
      await core.sql`select 1 from object_removals where storage_key = ${second.storageKey}`,
    ).toHaveLength(1)
  })

  it('makes the original current if the current version is removed', async () => {
    const { alice, trackId, versions, original, second } = await createTwoVersions()
    await alice.post(`${versions}/${second.versionId}/promote`)
    for (const lane of lanes) await setLane(core, trackId, lane, 'ready')
    const response = await alice.delete(`${versions}/${second.versionId}`)
    expect(readCurrent(response)).toEqual([original.versionId, [original.versionId]])
    const processing = await alice.get(`/v1/tracks/${trackId}/processing-status`)
    expect(readStatuses(processing)).toEqual(['ready', ...Array(5).fill('processing')])
  })

  it('processes all lanes again if an original that had failed becomes current', async () => {
    const alice = await core.signIn()
    const trackId = await makeTrack(alice)
    await storeVersion(core, trackId, { status: 'failed' })
    const { versionId } = await storeVersion(core, trackId)
    const version = `/v1/tracks/${trackId}/versions/${versionId}`
    await alice.post(`${version}/promote`)
    await alice.delete(version)
    const processing = await alice.get(`/v1/tracks/${trackId}/processing-status`)
    expect(processing.body.ingestionRun).toMatchObject({ trigger: 'promote', status: 'queued' })
    expect(readStatuses(processing)).toEqual(Array(6).fill('processing'))
    expect((await alice.get(`/v1/tracks/${trackId}`)).body.processingState).toBe('processing')
  })

  it('returns 409 for the original, whether it is current or not', async () => {
    const { alice, versions, original, second } = await createTwoVersions()
    for (const prepare of [() => {}, () => alice.post(`${versions}/${second.versionId}/promote`)]) {
      await prepare()
      const { status, body } = await alice.delete(`${versions}/${original.versionId}`)
      expect([status, body]).toEqual([409, { error: 'original_version_cannot_be_deleted' }])
    }
    expect((await alice.get(versions)).body.versions).toHaveLength(2)
  })

  it('does not reuse version numbers', async () => {
    const { alice, trackId, versions, second } = await createTwoVersions()
    await alice.delete(`${versions}/${second.versionId}`)
    await storeVersion(core, trackId)
    const { body } = await alice.get(versions)
    expect(body.versions.map((version: { versionNumber: number }) => version.versionNumber)).toEqual([1, 3])
  })
})

describe('tracks.remove', () => {
  it("removes the track's versions and schedules the removal of their files", async () => {
    const alice = await core.signIn()
    const { trackIds } = await makePack(alice, 1)
    const { versionId, storageKey } = await storeVersion(core, trackIds[0]!)
    expect((await alice.delete(`/v1/tracks/${trackIds[0]}`)).status).toBe(204)
    expect(await core.sql`select 1 from track_versions where id = ${versionId}`).toEqual([])
    expect(await core.sql`select 1 from object_removals where storage_key = ${storageKey}`).toHaveLength(1)
  })
})
