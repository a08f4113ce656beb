import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '#db/client/connection.ts'
import { createDatabasePort } from '#db/client/drizzle.ts'
import { redrive } from '#jobs/redrive.ts'
import { analysisSecret } from '#test/support/analysis-service.ts'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { startTestJobs, waitForProcessing } from '#test/support/jobs.ts'
import { readMediaFile, wav } from '#test/support/media/audio-files.ts'
import { createFile, uploadFile } from '#test/support/uploads.ts'
import { observeJobs, readProcessing, readStage, startOutages } from '#test/support/waiting-jobs.ts'

const storageDown = { code: 'storage_unavailable', message: 'The file store is unavailable.' }

describe('jobs after an outage of more than a day', () => {
  const gateway = startTestGateway({
    storage: true,
    environment: { MEDIA_INTELLIGENCE_URL: 'http://127.0.0.1:9', MEDIA_INTELLIGENCE_SECRET: analysisSecret },
  })
  const outages = startOutages(gateway)
  let database: ReturnType<typeof openDatabase>
  beforeAll(() => {
    database = openDatabase(gateway.database.url, { connections: 4, prepare: gateway.database.prepare })
  })
  afterAll(() => database.close())
  startTestJobs(gateway, { environment: outages.environment })
  const jobs = observeJobs(gateway)
  const runRedrive = (queue: Parameters<typeof redrive>[1] = null) =>
    redrive(createDatabasePort(database), queue)

  const signUp = async () => {
    const account = await gateway.signUp()
    return { account, trackId: await insertTrackOf(gateway.database.sql, account.accountId) }
  }
  const readVersions = async (account: TestAccount, trackId: string) =>
    (await account.get(`/v1/tracks/${trackId}/versions`)).body.versions
  const endRetries = async (queue: string) => {
    await jobs.waitForRetry(queue, 1)
    await jobs.ageOutages(24)
    await jobs.startRetries()
    await jobs.waitForDeadLetters()
  }
  const uploadInOutage = async () => {
    outages.storage.setUnavailable(true)
    const owner = await signUp()
    const { versionId } = await uploadFile(owner.account, owner.trackId, createFile({ bytes: wav() }))
    await endRetries('process-version')
    outages.storage.setUnavailable(false)
    return { ...owner, versionId }
  }
  const expectReady = async ({ account, trackId }: { account: TestAccount; trackId: string }) => {
    const { readiness, assets } = await waitForProcessing(account, trackId)
    expect(readiness).toMatchObject({ playback: { status: 'ready' }, waveform: { status: 'ready' } })
    expect(assets).toMatchObject([{ status: 'ready' }])
    expect(await readVersions(account, trackId)).toMatchObject([{ status: 'ready' }])
  }
  const countLetters = async () =>
    (await gateway.database.sql`select from pgboss.job where state = 'failed'`).length

  it('fail and name the service they waited for, instead of blaming the file', async () => {
    const { account, trackId } = await uploadInOutage()
    const { readiness, ingestionRun } = await readProcessing(account, trackId)
    for (const lane of Object.values(readiness)) expect(lane).toMatchObject({ status: 'failed' })
    expect(ingestionRun).toMatchObject({ status: 'failed', error: storageDown })
    expect(await readStage(account, trackId, 'playback')).toMatchObject({
      status: 'failed',
      error: storageDown,
    })
    expect(gateway.log.lines).toContainEqual({
      level: 'warn',
      message: 'job moved to dead-letter queue',
      fields: expect.objectContaining({ queue: 'process-version', code: 'storage_unavailable' }),
    })
    await runRedrive()
    await expectReady({ account, trackId })
  })

  it('are retried until a day has passed', async () => {
    outages.storage.setUnavailable(true)
    const { account, trackId } = await signUp()
    await uploadFile(account, trackId, createFile({ bytes: wav() }))
    await jobs.waitForRetry('process-version', 1)
    await jobs.ageOutages(23.9)
    await jobs.startRetries()
    await jobs.waitForRetry('process-version', 2)
    outages.storage.setUnavailable(false)
    await jobs.startRetries()
    await expectReady({ account, trackId })
  })

  it('are put back in the queue by redrive with all their lanes, and then complete', async () => {
    const owner = await uploadInOutage()
    expect(await runRedrive()).toEqual(new Map([['process-version', { redriven: 1, obsolete: 0, busy: 0 }]]))
    await expectReady(owner)
    const { ingestionRun } = await readProcessing(owner.account, owner.trackId)
    expect(ingestionRun).toMatchObject({ trigger: 'upload', status: 'succeeded', error: null })
    expect(await countLetters()).toBe(0)
    expect(await runRedrive()).toEqual(new Map())
  })

  it('that check artwork are also put back in the queue by redrive', async () => {
    outages.storage.setUnavailable(true)
    const { account, trackId } = await signUp()
    const bytes = await readMediaFile('cover.png')
    await uploadFile(account, trackId, createFile({ bytes, contentType: 'image/png' }), 'artwork')
    await endRetries('check-asset')
    const readArtwork = async () => (await account.get(`/v1/tracks/${trackId}/media-assets`)).body.artwork
    expect(await readArtwork()).toMatchObject([{ status: 'failed' }])
    outages.storage.setUnavailable(false)
    expect(await runRedrive('process-version')).toEqual(new Map())
    expect(await runRedrive('check-asset')).toEqual(
      new Map([['check-asset', { redriven: 1, obsolete: 0, busy: 0 }]]),
    )
    await expect.poll(readArtwork, { timeout: 20_000 }).toMatchObject([{ status: 'ready', width: 40 }])
  })

  it('are put back only once if several operators run redrive at once while workers run', async () => {
    outages.storage.setUnavailable(true)
    const owners = await Promise.all(Array.from({ length: 4 }, signUp))
    for (const { account, trackId } of owners)
      await uploadFile(account, trackId, createFile({ bytes: wav() }))
    const { sql } = gateway.database
    const waiting = async () => (await sql`select from pgboss.job where state = 'retry'`).length
    await expect.poll(waiting, { timeout: 20_000 }).toBe(owners.length)
    await jobs.ageOutages(24)
    await jobs.startRetries()
    await expect.poll(countLetters, { timeout: 20_000 }).toBe(owners.length)
    await jobs.waitForDeadLetters()
    outages.storage.setUnavailable(false)

    const results = await Promise.all([runRedrive(), runRedrive(), runRedrive()])
    const counts = results.map((result) => result.get('process-version')?.redriven ?? 0)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(owners.length)
    for (const owner of owners) await expectReady(owner)
    const runs = await sql`
      select track_id, count(*)::int from ingestion_runs
      where track_id in ${sql(owners.map(({ trackId }) => trackId))} group by track_id`
    expect(runs.map(({ count }) => count)).toEqual(owners.map(() => 1))
    expect(await countLetters()).toBe(0)
  }, 60_000)

  it('can be put back even before a worker has marked their lanes as failed', async () => {
    outages.storage.setUnavailable(true)
    const owner = await signUp()
    await uploadFile(owner.account, owner.trackId, createFile({ bytes: wav() }))
    await jobs.waitForRetry('process-version', 1)
    const { sql } = gateway.database
    // Leaves a job the way pg-boss does after its last attempt has failed.
    await sql`
      with failed as (
        update pgboss.job set state = 'failed', completed_on = now() where state = 'retry' returning *)
      insert into pgboss.job (name, data, retry_limit, start_after, keep_until, source_id)
      select 'lost-jobs', data, 1000, now() + interval '1 hour', now() + interval '1 day', id from failed`
    outages.storage.setUnavailable(false)
    expect(await runRedrive()).toEqual(new Map([['process-version', { redriven: 1, obsolete: 0, busy: 0 }]]))
    await expectReady(owner)
    expect(await sql`select from pgboss.job where name = 'lost-jobs' and state <> 'completed'`).toEqual([])
  })

  it('are dropped if a deleted track or a newer attempt has made them obsolete', async () => {
    const deleted = await uploadInOutage()
    const restarted = await uploadInOutage()
    await gateway.database.sql`delete from tracks where id = ${deleted.trackId}`
    const { account, trackId, versionId } = restarted
    expect((await account.post(`/v1/tracks/${trackId}/versions/${versionId}/promote`)).status).toBe(200)
    await expectReady(restarted)
    expect(await runRedrive()).toEqual(new Map([['process-version', { redriven: 0, obsolete: 2, busy: 0 }]]))
    await expectReady(restarted)
  })

  it('are restarted when their version is promoted', async () => {
    const owner = await uploadInOutage()
    const { account, trackId, versionId } = owner
    expect((await account.post(`/v1/tracks/${trackId}/versions/${versionId}/promote`)).status).toBe(200)
    expect((await readProcessing(account, trackId)).readiness.playback.status).toMatch(/processing|ready/)
    await expectReady(owner)
    await runRedrive()
  })

  it('leave audio playable that was found valid before, and say so in its stage', async () => {
    const { account, trackId } = await signUp()
    const upload = async (seconds: number) => {
      const { versionId } = await uploadFile(account, trackId, createFile({ bytes: wav({ seconds }) }))
      await waitForProcessing(account, trackId)
      return versionId
    }
    await upload(1)
    const versionId = await upload(2)
    outages.storage.setUnavailable(true)
    await account.post(`/v1/tracks/${trackId}/versions/${versionId}/promote`)
    await endRetries('process-version')
    outages.storage.setUnavailable(false)
    const { readiness, ingestionRun } = await readProcessing(account, trackId)
    expect(ingestionRun).toMatchObject({ status: 'failed', error: storageDown })
    expect(readiness).toMatchObject({ playback: { status: 'ready' }, waveform: { status: 'failed' } })
    expect(await readStage(account, trackId, 'playback')).toMatchObject({ status: 'succeeded', error: null })
    await runRedrive()
    await waitForProcessing(account, trackId)
  })

  it('are restarted by a retry request, which is rejected if the file is at fault', async () => {
    const owner = await uploadInOutage()
    const pathOf = (trackId: string) => `/v1/tracks/${trackId}/processing/media-intelligence/retry`
    const response = await owner.account.post(pathOf(owner.trackId))
    expect(response.status).toBe(202)
    expect((await owner.account.post(pathOf(owner.trackId))).body).toEqual({
      ...response.body,
      status: 'already_running',
    })
    await expectReady(owner)

    const { account, trackId } = await signUp()
    const { versionId } = await uploadFile(account, trackId, createFile())
    await waitForProcessing(account, trackId)
    expect(await account.post(pathOf(trackId))).toMatchObject({
      status: 409,
      body: errorBody('version_not_ready'),
    })
    await account.post(`/v1/tracks/${trackId}/versions/${versionId}/promote`)
    expect((await readProcessing(account, trackId)).readiness.playback.status).toBe('failed')
    await runRedrive()
  })
})
