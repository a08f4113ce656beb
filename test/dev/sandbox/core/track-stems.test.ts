import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeTrack, type RunningCore, runCore, timestamp } from './running-core.ts'
import { setLane, storeVersion } from './stored-audio.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

const createTrack = async () => {
  const alice = await core.signIn()
  const trackId = await makeTrack(alice)
  return { alice, trackId, stems: `/v1/tracks/${trackId}/stems` }
}

const storeStem = async (trackId: string, versionId: string | null, kind: string) => {
  const [id, assetId] = [randomUUID(), randomUUID()]
  await core.sql`
    insert into media_assets (id, track_id, version_id, kind, status, file_name, content_type, byte_size, storage_key)
    values (${assetId}, ${trackId}, ${versionId}, 'stem', 'ready', 's.wav', 'audio/wav', 7, ${`stems/${assetId}`})`
  await core.sql`
    insert into track_stems (id, track_id, version_id, asset_id, kind, label, duration_ms, source)
    values (${id}, ${trackId}, ${versionId}, ${assetId}, ${kind}, ${kind}, 5, ${versionId ? 'ai' : 'upload'})`
  return { id, assetId }
}

describe('tracks.stems.list', () => {
  it("lists the current version's stems and uploaded ones, without storage keys", async () => {
    const { alice, trackId, stems } = await createTrack()
    const { versionId } = await storeVersion(core, trackId)
    const other = await storeVersion(core, trackId)
    const { id, assetId } = await storeStem(trackId, versionId, 'vocals')
    await storeStem(trackId, other.versionId, 'drums')
    await storeStem(trackId, null, 'bass')
    await setLane(core, trackId, 'stems', 'ready')
    const { body } = await alice.get(stems)
    expect(body).toMatchObject({ trackId, status: 'ready' })
    expect(body.stems.map((stem: { kind: string }) => stem.kind)).toEqual(['vocals', 'bass'])
    expect(body.stems[0]).toEqual({
      id,
      kind: 'vocals',
      label: 'vocals',
      assetId,
      contentType: 'audio/wav',
      byteSize: 7,
      durationMs: 5,
      source: 'ai',
      createdAt: expect.stringMatching(timestamp),
    })
  })

  it('derives the status from the stems lane', async () => {
    const { alice, trackId, stems } = await createTrack()
    const statuses = [(await alice.get(stems)).body.status]
    await storeVersion(core, trackId)
    for (const lane of ['pending', 'processing', 'failed', 'skipped', 'ready']) {
      await setLane(core, trackId, 'stems', lane)
      statuses.push((await alice.get(stems)).body.status)
    }
    expect(statuses).toEqual(['none', 'queued', 'processing', 'failed', 'none', 'ready'])
  })
})
