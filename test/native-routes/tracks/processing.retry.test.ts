import { describe, expect, it } from 'vitest'
import { analysisSecret, signAnalysisCallback, startAnalysisService } from '#test/support/analysis-service.ts'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { startTestJobs, waitForProcessing } from '#test/support/jobs.ts'
import { readMediaFile, wav } from '#test/support/media/audio-files.ts'
import { createFile, uploadFile } from '#test/support/uploads.ts'

const pathOf = (trackId: string) => `/v1/tracks/${trackId}/processing/media-intelligence/retry`

describe('tracks.processing.retry', () => {
  const gateway = startTestGateway({
    storage: true,
    environment: { MEDIA_INTELLIGENCE_URL: 'http://127.0.0.1:9', MEDIA_INTELLIGENCE_SECRET: analysisSecret },
  })
  const service = startAnalysisService()
  startTestJobs(gateway, { environment: service.environment })
  const signUp = async () => {
    const account = await gateway.signUp()
    return { account, trackId: await insertTrackOf(gateway.database.sql, account.accountId) }
  }
  const analysed = async (file = createFile({ bytes: wav() })) => {
    const owner = await signUp()
    await uploadFile(owner.account, owner.trackId, file)
    const dispatches = () =>
      gateway.database.sql<{ id: string; status: string }[]>`
        select id, status from media_dispatches where track_id = ${owner.trackId} order by created_at desc`
    await expect.poll(async () => (await dispatches())[0]?.status, { timeout: 10_000 }).toBe('dispatched')
    return { ...owner, dispatches }
  }

  it('returns 200 with the status already_running while the analysis runs', async () => {
    const { account, trackId, dispatches } = await analysed()
    const response = await account.post(pathOf(trackId))
    expect(response.status).toBe(200)
    const [running] = await dispatches()
    expect(response.body).toEqual({ trackId, dispatchId: running?.id, status: 'already_running' })
  })

  it('starts one new analysis for concurrent requests once the previous one has ended', async () => {
    const { account, trackId, dispatches } = await analysed()
    await gateway.database.sql`update media_dispatches set status = 'failed' where track_id = ${trackId}`
    const responses = await Promise.all(Array.from({ length: 5 }, () => account.post(pathOf(trackId))))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 202])
    expect(new Set(responses.map(({ body }) => body.dispatchId)).size).toBe(1)
    const started = responses.find(({ status }) => status === 202)!
    expect(started.body).toEqual({ trackId, dispatchId: expect.any(String), status: 'dispatched' })
    const { readiness } = (await account.get(`/v1/tracks/${trackId}/processing-status`)).body
    expect(readiness).toMatchObject({
      playback: { status: 'ready' },
      waveform: { status: 'ready' },
      tags: { status: 'processing' },
      stems: { status: 'processing' },
    })
    await expect
      .poll(
        () => service.dispatches.filter((dispatch) => dispatch.dispatchId === started.body.dispatchId).length,
        {
          timeout: 10_000,
        },
      )
      .toBe(1)
    expect(await dispatches()).toHaveLength(2)
  })

  it('keeps the lyrics lane ready if the file has lyrics and the analysis returns none', async () => {
    const { account, trackId, dispatches } = await analysed(
      createFile({ bytes: await readMediaFile('sine.flac'), contentType: 'audio/flac' }),
    )
    const callBack = async () => {
      const [running] = await dispatches()
      const callbackId = crypto.randomUUID()
      const body = JSON.stringify({ callbackId, dispatchId: running?.id, status: 'succeeded', results: {} })
      const headers = { 'media-intelligence-signature': signAnalysisCallback(body) }
      await gateway.request('POST', '/v1/media-intelligence/callback', { body, headers })
      return (await waitForProcessing(account, trackId)).readiness
    }
    const before = await callBack()
    expect(before).toMatchObject({ lyrics: { status: 'ready' }, stems: { status: 'skipped' } })
    expect((await account.post(pathOf(trackId))).status).toBe(202)
    const after = await callBack()
    expect(after).toMatchObject({ lyrics: { status: 'ready' }, stems: { status: 'skipped' } })
    expect((await account.get(`/v1/tracks/${trackId}/lyrics`)).body).toMatchObject({ source: 'import' })
  })

  it('is possible again once an analysis has failed because no callback came in time', async () => {
    const { account, trackId } = await analysed()
    await gateway.database.sql`
      update media_dispatches set updated_at = now() - interval '7 hours 1 minute' where track_id = ${trackId}`
    const { readiness, remoteDispatches } = await waitForProcessing(account, trackId)
    expect(readiness).toMatchObject({ playback: { status: 'ready' }, stems: { status: 'failed' } })
    expect(remoteDispatches[0]).toMatchObject({ status: 'failed', error: { code: 'analysis_timed_out' } })
    expect((await account.post(pathOf(trackId))).status).toBe(202)
  })

  it('waits for the stems if the callback arrives just as the time ends', async () => {
    const { trackId, dispatches } = await analysed()
    const { sql } = gateway.database
    const countWaiting = async () =>
      (
        await sql`
          select count(*)::int as count from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`
      )[0]?.count
    // Like the callback, this transaction locks the track first. Meanwhile, the sweep finds the dispatch overdue.
    await sql.begin(async (callback) => {
      await callback`select 1 from tracks where id = ${trackId} for no key update`
      await sql`
        update media_dispatches set updated_at = now() - interval '7 hours 1 minute' where track_id = ${trackId}`
      await expect.poll(countWaiting, { timeout: 10_000, interval: 10 }).toBe(1)
      await callback`
        update media_dispatches set status = 'running', updated_at = statement_timestamp()
        where track_id = ${trackId}`
    })
    // Each sweep fails overdue dispatches before it deletes this.
    await sql`insert into pack_link_admissions (key, expires_at) values (${trackId}, now() - interval '1 second')`
    const countAdmissions = async () =>
      (await sql`select 1 from pack_link_admissions where key = ${trackId}`).length
    await expect.poll(countAdmissions, { timeout: 10_000 }).toBe(0)
    expect((await dispatches())[0]?.status).toBe('running')
  })

  it.each([
    ['no audio', null],
    ['invalid audio', createFile()],
  ])('returns 409 for a track with %s', async (_, file) => {
    const { account, trackId } = await signUp()
    if (file) await uploadFile(account, trackId, file)
    const response = await account.post(pathOf(trackId))
    expect(response.status).toBe(409)
    expect(response.body).toEqual(errorBody('version_not_ready'))
  })
})

describe('tracks.processing.retry without an analysis service', () => {
  const gateway = startTestGateway()

  it('returns 503', async () => {
    const account = await gateway.signUp()
    const response = await account.post(pathOf(await insertTrackOf(gateway.database.sql, account.accountId)))
    expect(response.status).toBe(503)
    expect(response.body).toEqual(errorBody('media_intelligence_unavailable'))
  })
})
