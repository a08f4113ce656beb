import { describe, expect, it } from 'vitest'
import { startSweeps } from '#jobs/start-sweeps.ts'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createJobPorts, startTestJobs, waitForProcessing } from '#test/support/jobs.ts'
import { wav } from '#test/support/media/audio-files.ts'
import { insertVersion } from '#test/support/track-fixtures.ts'
import { createFile, finalizeUpload, putFile, uploadFile } from '#test/support/uploads.ts'

describe('sweep', () => {
  const gateway = startTestGateway({ storage: true })
  startTestJobs(gateway)
  const signUp = async () => {
    const account = await gateway.signUp()
    return { account, trackId: await insertTrackOf(gateway.database.sql, account.accountId) }
  }
  const isStored = async (key: string) => (await gateway.storage.port.find(key)) !== null
  const listStorageKeys = async (trackId: string) =>
    (
      await gateway.database.sql<{ storage_key: string }[]>`
        select storage_key from media_assets where track_id = ${trackId}`
    ).map(({ storage_key }) => storage_key)

  it('expires an upload and removes its bytes one hour after its URL expired', async () => {
    const { account, trackId } = await signUp()
    const [overdue, late] = [await putFile(account, trackId), await putFile(account, trackId)]
    const expire = (uploadId: string, ago: string) =>
      gateway.database.sql`update uploads set expires_at = now() - ${ago}::interval where id = ${uploadId}`
    await expire(late.uploadId, '59 minutes')
    await expire(overdue.uploadId, '61 minutes')
    await expect.poll(() => isStored(`uploads/${overdue.uploadId}`), { timeout: 10_000 }).toBe(false)
    expect((await finalizeUpload(account, overdue)).body).toEqual(errorBody('upload_expired'))
    expect(await isStored(`uploads/${late.uploadId}`)).toBe(true)
    expect((await finalizeUpload(account, late)).status).toBe(200)
  })

  it('removes uploaded bytes once they have been copied and their URL has expired', async () => {
    const { account, trackId } = await signUp()
    const intent = await putFile(account, trackId, createFile({ bytes: wav() }))
    await finalizeUpload(account, intent)
    await waitForProcessing(account, trackId)
    expect(await isStored(`uploads/${intent.uploadId}`)).toBe(true)
    await gateway.database.sql`
      update object_removals set remove_after = now() where storage_key = ${`uploads/${intent.uploadId}`}`
    await expect.poll(() => isStored(`uploads/${intent.uploadId}`), { timeout: 10_000 }).toBe(false)
    const [key = ''] = await listStorageKeys(trackId)
    expect(await isStored(key)).toBe(true)
  })

  it('deletes console sign-outs after a day, when the sessions have expired anyway', async () => {
    const { sql } = gateway.database
    const [old, recent] = [crypto.randomUUID(), crypto.randomUUID()]
    await sql`
      insert into console_sign_outs (session_id, signed_out_at)
      values (${old}, now() - interval '25 hours'), (${recent}, now() - interval '23 hours')`
    const listSessions = async () =>
      (await sql`select session_id from console_sign_outs`).map(({ session_id }) => session_id)
    await expect.poll(listSessions, { timeout: 10_000 }).toEqual([recent])
  })

  it('deletes expired admissions to pack links', async () => {
    const { sql } = gateway.database
    await sql`
      insert into pack_link_admissions (key, expires_at)
      select 'expired ' || n, now() - interval '1 second' from generate_series(1, 2500) n
      union all select 'valid', now() + interval '1 minute'`
    const listKeys = async () => (await sql`select key from pack_link_admissions`).map(({ key }) => key)
    await expect.poll(listKeys, { timeout: 10_000 }).toEqual(['valid'])
  })

  it('removes a copy left by a crashed worker, and the upload still completes with a new one', async () => {
    const { account, trackId } = await signUp()
    const intent = await putFile(account, trackId, createFile({ bytes: wav() }))
    const copy = `assets/${intent.assetId}/of-a-crashed-worker`
    await gateway.storage.port.copy(`uploads/${intent.uploadId}`, copy, 'audio/wav')
    await gateway.database.sql`insert into object_removals values (${copy}, now())`
    await expect.poll(() => isStored(copy), { timeout: 10_000 }).toBe(false)
    expect((await finalizeUpload(account, intent)).status).toBe(200)
    expect((await waitForProcessing(account, trackId)).readiness.playback.status).toBe('ready')
  })

  it('may remove uploaded bytes that were never checked one minute after their URL has expired', async () => {
    const { account, trackId } = await signUp()
    const intent = await putFile(account, trackId)
    // The asset is still waiting for a worker when the track is deleted.
    await gateway.database.sql`
      insert into media_assets (id, track_id, kind, file_name, content_type, byte_size, storage_key)
      values (${intent.assetId}, ${trackId}, 'artwork', 'a', 'image/png', 1, ${`uploads/${intent.uploadId}`})`
    await gateway.database.sql`delete from media_assets where id = ${intent.assetId}`
    await gateway.database.sql`delete from tracks where id = ${trackId}`
    const [removal] = await gateway.database.sql`
      select remove_after - ${intent.expiresAt}::timestamptz = interval '1 minute' as waits
      from object_removals where storage_key = ${`uploads/${intent.uploadId}`}`
    expect(removal?.waits).toBe(true)
  })

  it('removes all objects of a deleted track, even when another application deleted the row', async () => {
    const { account, trackId } = await signUp()
    await uploadFile(account, trackId, createFile({ bytes: wav() }))
    await uploadFile(account, trackId, createFile({ contentType: 'text/plain' }), 'documents')
    // Bytes that have not been copied yet are kept until their upload URL expires.
    await expect
      .poll(async () => (await listStorageKeys(trackId)).every((key) => key.startsWith('assets/')), {
        timeout: 10_000,
      })
      .toBe(true)
    const keys = await listStorageKeys(trackId)
    expect(keys).toHaveLength(2)
    await gateway.database.sql`delete from tracks where id = ${trackId}`
    for (const key of keys) await expect.poll(() => isStored(key), { timeout: 10_000 }).toBe(false)
  })
})

describe('the sweeps of a worker whose clock is three hours fast', () => {
  const gateway = startTestGateway({ storage: true })

  it('end only uploads and analyses that are overdue by the clock of the database', async () => {
    const { sql } = gateway.database
    const start = async () => {
      const account = await gateway.signUp()
      const trackId = await insertTrackOf(sql, account.accountId)
      const version = await insertVersion(sql, trackId)
      const { uploadId } = await putFile(account, trackId)
      const dispatchId = crypto.randomUUID()
      await sql`
        insert into media_dispatches (id, track_id, version_id, status)
        values (${dispatchId}, ${trackId}, ${version.id}, 'dispatched')`
      const listStatuses = async () => {
        const rows = await sql<{ status: string }[]>`
          select status from uploads where id = ${uploadId}
          union all select status from media_dispatches where id = ${dispatchId}`
        return rows.map(({ status }) => status)
      }
      return { uploadId, dispatchId, listStatuses }
    }
    const [recent, overdue] = [await start(), await start()]
    await sql`update uploads set expires_at = now() - interval '61 minutes' where id = ${overdue.uploadId}`
    // As long as the audio's URL is valid, the service may not have fetched it.
    for (const [{ dispatchId }, age] of [
      [recent, '6 hours'],
      [overdue, '7 hours 1 minute'],
    ] as const)
      await sql`update media_dispatches set updated_at = now() - ${age}::interval where id = ${dispatchId}`
    const ports = createJobPorts(gateway, {
      storage: gateway.storage.port,
      clock: { now: () => new Date(Date.now() + 3 * 3_600_000) },
    })
    const errors: unknown[] = []
    const sweeps = startSweeps(
      ports,
      () => true,
      (error) => errors.push(error),
      50,
    )
    await expect.poll(overdue.listStatuses, { timeout: 10_000 }).toEqual(['expired', 'failed'])
    await sweeps.stop()
    expect(await recent.listStatuses()).toEqual(['pending', 'dispatched'])
    expect(errors).toEqual([])
  })
})

describe('a job that always fails', () => {
  const gateway = startTestGateway({ storage: true })
  startTestJobs(gateway)

  it('moves to the dead-letter queue, and its lanes are marked as failed', async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    // Simulates an object that the store has lost, and allows only one attempt.
    await gateway.database.sql`update pgboss.queue set retry_limit = 0 where name = 'process-version'`
    const intent = await putFile(account, trackId, createFile({ bytes: wav() }))
    await gateway.database.sql`
      create function lose_object() returns trigger as $$ begin
        new.storage_key := 'lost'; return new; end $$ language plpgsql`
    await gateway.database.sql`
      create trigger lose_object before insert on media_assets for each row execute function lose_object()`
    await finalizeUpload(account, intent)
    const { ingestionRun, readiness } = await waitForProcessing(account, trackId)
    expect(ingestionRun).toMatchObject({ status: 'failed', error: { code: 'processing_failed' } })
    expect(Object.values<{ status: string }>(readiness).map(({ status }) => status)).toEqual(
      Array(6).fill('failed'),
    )
  })
})
