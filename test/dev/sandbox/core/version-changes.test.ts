import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, type CoreResponse, makeTrack, type RunningCore, runCore } from './running-core.ts'
import { lanes, readLaneStatuses, setLane, storeVersion } from './stored-audio.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

/** Creates a track with two ready versions; the original is current and fully processed. */
const createTwoVersions = async () => {
  const alice = await core.signIn()
  const trackId = await makeTrack(alice)
  const original = await storeVersion(core, trackId, { durationMs: 1000 })
  const second = await storeVersion(core, trackId, { durationMs: 2000 })
  for (const lane of lanes) await setLane(core, trackId, lane, 'ready')
  return { alice, trackId, versions: `/v1/tracks/${trackId}/versions`, original, second }
}

const readProcessing = (caller: Caller, trackId: string) =>
  caller.get(`/v1/tracks/${trackId}/processing-status`)

const readCurrent = ({ body }: CoreResponse) => [
  body.currentVersionId,
  body.versions
    .filter((version: { isCurrent: boolean }) => version.isCurrent)
    .map((version: { id: string }) => version.id),
]

describe('tracks.versions.promote', () => {
  it('makes a version current and queues its processing', async () => {
    const { alice, trackId, versions, second } = await createTwoVersions()
    const response = await alice.post(`${versions}/${second.versionId}/promote`)
    expect(response.status).toBe(200)
    expect(readCurrent(response)).toEqual([second.versionId, [second.versionId]])
    const processing = await readProcessing(alice, trackId)
    expect(readLaneStatuses(processing)).toEqual(['ready', ...Array(5).fill('processing')])
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
    const processing = await readProcessing(alice, trackId)
    expect(readLaneStatuses(processing)).toEqual(Array(6).fill('ready'))
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
    const processing = await readProcessing(alice, trackId)
    expect(readLaneStatuses(processing)).toEqual(['ready', ...Array(5).fill('processing')])
  })

  it('processes all lanes again if the removal makes a failed original current', async () => {
    const alice = await core.signIn()
    const trackId = await makeTrack(alice)
    await storeVersion(core, trackId, { status: 'failed' })
    const { versionId } = await storeVersion(core, trackId)
    const version = `/v1/tracks/${trackId}/versions/${versionId}`
    await alice.post(`${version}/promote`)
    await alice.delete(version)
    const processing = await readProcessing(alice, trackId)
    expect(processing.body.ingestionRun).toMatchObject({ trigger: 'promote', status: 'queued' })
    expect(readLaneStatuses(processing)).toEqual(Array(6).fill('processing'))
    expect((await alice.get(`/v1/tracks/${trackId}`)).body.processingState).toBe('processing')
  })
})
