import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { startTestJobs, waitForProcessing } from '#test/support/jobs.ts'
import { wav } from '#test/support/media/audio-files.ts'
import { createFile, uploadFile } from '#test/support/uploads.ts'

describe('tracks.versions.promote and tracks.versions.remove', () => {
  const gateway = startTestGateway({ storage: true })
  startTestJobs(gateway)

  const versionsOf = async (account: TestAccount, trackId: string) =>
    (await account.get(`/v1/tracks/${trackId}/versions`)).body
  const withVersions = async (...seconds: readonly number[]) => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const ids: string[] = []
    for (const length of seconds)
      ids.push(
        (await uploadFile(account, trackId, createFile({ bytes: wav({ seconds: length }) }))).versionId,
      )
    const isProcessing = async () => JSON.stringify(await versionsOf(account, trackId)).includes('processing')
    await expect.poll(isProcessing, { timeout: 12_000 }).toBe(false)
    const promote = (id: string | undefined) => account.post(`/v1/tracks/${trackId}/versions/${id}/promote`)
    const remove = (id: string | undefined) => account.delete(`/v1/tracks/${trackId}/versions/${id}`)
    const fetchPlayback = async () => {
      const { body } = await account.get(`/v1/tracks/${trackId}/playback-url`)
      return { ...body, bytes: await (await fetch(body.url)).bytes() }
    }
    return { account, trackId, ids, promote, remove, fetchPlayback }
  }
  const listCurrentIds = (body: { versions: { id: string; isCurrent: boolean }[] }) =>
    body.versions.filter(({ isCurrent }) => isCurrent).map(({ id }) => id)

  it('promote a version, which changes playback and the waveform', async () => {
    const { account, trackId, ids, promote, fetchPlayback } = await withVersions(1, 2)
    expect((await fetchPlayback()).bytes).toEqual(wav({ seconds: 1 }))
    const response = await promote(ids[1])
    expect(response.status).toBe(200)
    expect(response.body).toEqual(await versionsOf(account, trackId))
    expect(response.body.currentVersionId).toBe(ids[1])
    expect(listCurrentIds(response.body)).toEqual([ids[1]])
    expect(await fetchPlayback()).toMatchObject({
      versionId: ids[1],
      durationMs: 2000,
      bytes: wav({ seconds: 2 }),
    })
    const { readiness, ingestionRun } = await waitForProcessing(account, trackId)
    expect(ingestionRun).toMatchObject({ trigger: 'promote', status: 'succeeded' })
    expect(readiness).toMatchObject({ playback: { ready: true }, waveform: { ready: true } })
    expect((await account.get(`/v1/tracks/${trackId}/peaks`)).body).toMatchObject({
      versionId: ids[1],
      durationMs: 2000,
    })
  })

  it('change nothing if the version is already current', async () => {
    const { account, trackId, ids, promote } = await withVersions(1)
    await waitForProcessing(account, trackId)
    const before = await account.get(`/v1/tracks/${trackId}/processing-status`)
    expect((await promote(ids[0])).status).toBe(200)
    expect((await account.get(`/v1/tracks/${trackId}/processing-status`)).body).toEqual(before.body)
  })

  it('leave one current version after concurrent promotions', async () => {
    const { account, trackId, ids, promote } = await withVersions(1, 1.5, 2)
    const responses = await Promise.all([...ids, ...ids, ...ids].map(promote))
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
    for (const { body } of responses) expect(listCurrentIds(body)).toHaveLength(1)
    const after = await versionsOf(account, trackId)
    expect(listCurrentIds(after)).toEqual([after.currentVersionId])
    expect(after.versions.map((version: { isOriginal: boolean }) => version.isOriginal)).toEqual([
      true,
      false,
      false,
    ])
  })

  it('return 409 for a version that is not ready', async () => {
    const { account, trackId, promote } = await withVersions(1)
    const { versionId } = await uploadFile(account, trackId, createFile())
    const response = await promote(versionId)
    expect(response.status).toBe(409)
    expect(response.body).toEqual(errorBody('version_not_ready'))
  })

  it('make the original current when the current version is deleted', async () => {
    const { account, trackId, ids, promote, remove, fetchPlayback } = await withVersions(1, 2)
    await promote(ids[1])
    const response = await remove(ids[1])
    expect(response.status).toBe(200)
    expect(response.body.versions.map(({ id }: { id: string }) => id)).toEqual([ids[0]])
    expect(response.body.currentVersionId).toBe(ids[0])
    expect((await fetchPlayback()).bytes).toEqual(wav({ seconds: 1 }))
    await waitForProcessing(account, trackId)
    expect((await account.get(`/v1/tracks/${trackId}/peaks`)).body.durationMs).toBe(1000)
  })

  it('reprocess an invalid original that becomes current again', async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    await uploadFile(account, trackId, createFile())
    await waitForProcessing(account, trackId)
    const { versionId } = await uploadFile(account, trackId, createFile({ bytes: wav() }))
    await waitForProcessing(account, trackId)
    const version = `/v1/tracks/${trackId}/versions/${versionId}`
    expect((await account.post(`${version}/promote`)).status).toBe(200)
    expect((await account.delete(version)).status).toBe(200)
    const before = (await account.get(`/v1/tracks/${trackId}/processing-status`)).body
    expect(before.ingestionRun.trigger).toBe('promote')
    expect(before.readiness.playback.status).toBe('processing')
    const { readiness, ingestionRun } = await waitForProcessing(account, trackId)
    expect(ingestionRun.status).toBe('failed')
    expect(readiness.playback.status).toBe('failed')
  })

  it("delete a removed version's object and never reuse the version's number", async () => {
    const { account, trackId, ids, remove } = await withVersions(1, 1.5)
    const [{ storage_key: key } = { storage_key: '' }] = await gateway.database.sql<
      { storage_key: string }[]
    >`
      select storage_key from media_assets where version_id = ${ids[1]!}`
    expect(await gateway.storage.port.find(key)).not.toBeNull()
    await remove(ids[1])
    await expect.poll(() => gateway.storage.port.find(key), { timeout: 10_000 }).toBeNull()
    await uploadFile(account, trackId, createFile())
    const { versions } = await versionsOf(account, trackId)
    expect(versions.map((version: { versionNumber: number }) => version.versionNumber)).toEqual([1, 3])
  })

  it('return 409 for removing the original, whether or not it is current', async () => {
    const { account, trackId, ids, promote, remove } = await withVersions(1, 1.5)
    for (const current of [ids[0], ids[1]]) {
      await promote(current)
      const response = await remove(ids[0])
      expect(response.status).toBe(409)
      expect(response.body).toEqual(errorBody('original_version_cannot_be_deleted'))
    }
    expect((await versionsOf(account, trackId)).versions).toHaveLength(2)
  })

  it('return 404 for a removed or unknown version', async () => {
    const { ids, promote, remove } = await withVersions(1, 1.5)
    const responses = await Promise.all([remove(ids[1]), remove(ids[1]), remove(ids[1])])
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404])
    for (const id of [ids[1], 'unknown', 'no%20id'])
      for (const response of [await promote(id), await remove(id)]) {
        expect(response.status).toBe(404)
        expect(response.body).toEqual(errorBody('version_not_found'))
      }
  })

  it("rely on database constraints that keep a track's current version and its original", async () => {
    const { trackId, ids } = await withVersions(1, 1.5)
    const { sql } = gateway.database
    await expect(sql`update tracks set current_version_id = null where id = ${trackId}`).rejects.toThrow()
    await expect(sql`update tracks set current_version_id = 'other' where id = ${trackId}`).rejects.toThrow()
    await expect(sql`delete from track_versions where id = ${ids[0]!}`).rejects.toThrow()
    await expect(
      sql`insert into track_versions (id, track_id, version_number) values ('again', ${trackId}, 1)`,
    ).rejects.toThrow()
  })
})
