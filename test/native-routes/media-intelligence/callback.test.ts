import { describe, expect, it } from 'vitest'
import { analysisSecret, signAnalysisCallback, startAnalysisService } from '#test/support/analysis-service.ts'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { startTestJobs, waitForProcessing } from '#test/support/jobs.ts'
import { wav } from '#test/support/media/audio-files.ts'
import { createFile, uploadFile } from '#test/support/uploads.ts'

const path = '/v1/media-intelligence/callback'

describe('media-intelligence.callback', () => {
  const gateway = startTestGateway({
    storage: true,
    environment: { MEDIA_INTELLIGENCE_URL: 'http://127.0.0.1:9', MEDIA_INTELLIGENCE_SECRET: analysisSecret },
  })
  const service = startAnalysisService()
  startTestJobs(gateway, { environment: service.environment })

  const callBack = (body: object | string, headers: Record<string, string> = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return gateway.request('POST', path, {
      body: text,
      headers: { 'media-intelligence-signature': signAnalysisCallback(text), ...headers },
    })
  }
  const dispatchesOf = async (account: TestAccount, trackId: string) =>
    (await account.get(`/v1/tracks/${trackId}/processing-status`)).body.remoteDispatches
  const dispatched = async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const version = await uploadFile(account, trackId, createFile({ bytes: wav() }))
    await expect
      .poll(async () => (await dispatchesOf(account, trackId))[0]?.status, { timeout: 10_000 })
      .toBe('dispatched')
    const [{ id: dispatchId }] = await dispatchesOf(account, trackId)
    return { account, trackId, dispatchId, versionId: version.versionId }
  }
  const results = {
    tags: [
      { category: 'bpm', value: '128', numericValue: 128, confidence: 0.9 },
      { category: 'mood', value: 'calm', label: 'Calm', confidence: 0.5 },
    ],
    lyrics: { text: 'La la', language: 'en', lines: [{ startMs: 0, endMs: 900, text: 'La la' }] },
    embeddings: [0.25, -0.5, 1],
  }

  it('follows a signed dispatch that contains the audio and callback URLs', async () => {
    const { dispatchId } = await dispatched()
    const task = service.dispatches.find((dispatch) => dispatch.dispatchId === dispatchId)
    expect(task).toMatchObject({ contentType: 'audio/wav', callbackUrl: gateway.url + path })
    expect((await (await fetch(task!.audioUrl)).bytes()).length).toBe(wav().length)
  })

  it('applies the results and skips the lanes without results', async () => {
    const { account, trackId, dispatchId, versionId } = await dispatched()
    const before = await account.get(`/v1/tracks/${trackId}/processing-status`)
    expect(before.body.readiness).toMatchObject({
      playback: { status: 'ready' },
      tags: { status: 'processing' },
      stems: { status: 'processing' },
    })
    const response = await callBack({ callbackId: 'cb-1', dispatchId, status: 'succeeded', results })
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ ok: true, status: 'applied' })
    const status = await waitForProcessing(account, trackId)
    expect(status.readiness).toMatchObject({
      tags: { status: 'ready' },
      lyrics: { status: 'ready' },
      embeddings: { status: 'ready' },
      stems: { status: 'skipped' },
    })
    expect(status.remoteDispatches).toEqual([
      {
        id: dispatchId,
        kind: 'media_intelligence',
        status: 'succeeded',
        attempt: 1,
        dispatchedAt: expect.any(String),
        completedAt: expect.any(String),
        error: null,
      },
    ])
    const { tags } = (await account.get(`/v1/tracks/${trackId}/tags`)).body
    expect(tags).toMatchObject([
      { category: 'bpm', value: '128', label: '128', numericValue: 128, confidence: 0.9, source: 'ai' },
      { category: 'mood', label: 'Calm' },
    ])
    expect((await account.get(`/v1/tracks/${trackId}/lyrics`)).body).toMatchObject({
      text: 'La la',
      language: 'en',
      source: 'ai',
      lines: [{ startMs: 0, endMs: 900, text: 'La la' }],
    })
    const [row] = await gateway.database
      .sql`select vector from track_embeddings where version_id = ${versionId}`
    expect(row?.vector).toEqual([0.25, -0.5, 1])
  })

  it.each(['succeeded', 'failed'])(
    'sets dispatchedAt if the callback (%s) arrives before the job has stored it',
    async (status) => {
      const { account, trackId, dispatchId } = await dispatched()
      const { sql } = gateway.database
      await sql`update media_dispatches set status = 'queued', dispatched_at = null where id = ${dispatchId}`
      await callBack({ callbackId: crypto.randomUUID(), dispatchId, status })
      const { remoteDispatches } = await waitForProcessing(account, trackId)
      expect(remoteDispatches).toMatchObject([
        { status, dispatchedAt: expect.any(String), completedAt: expect.any(String) },
      ])
    },
  )

  it('is ignored if it is repeated or its dispatch is finished', async () => {
    const { account, trackId, dispatchId } = await dispatched()
    const first = { callbackId: crypto.randomUUID(), dispatchId, status: 'succeeded', results }
    const responses = await Promise.all([1, 2, 3].map(() => callBack(first)))
    expect(responses.map(({ body }) => body.status).sort()).toEqual(['applied', 'duplicate', 'duplicate'])
    const late = { ...first, callbackId: crypto.randomUUID(), results: { tags: [] } }
    expect((await callBack(late)).body).toEqual({ ok: true, status: 'stale' })
    expect((await callBack(late)).body).toEqual({ ok: true, status: 'duplicate' })
    expect((await account.get(`/v1/tracks/${trackId}/tags`)).body.tags).toHaveLength(2)
  })

  it('does not change lyrics and tags that the owner has edited', async () => {
    const { account, trackId, dispatchId } = await dispatched()
    await account.put(`/v1/tracks/${trackId}/lyrics`, { text: 'Mine' })
    await gateway.database.sql`
      insert into track_tags (id, track_id, category, value, label, source, hidden, user_edited) values
        (${crypto.randomUUID()}, ${trackId}, 'mood', 'calm', 'Calm', 'ai', true, true)`
    await callBack({ callbackId: crypto.randomUUID(), dispatchId, status: 'succeeded', results })
    expect((await account.get(`/v1/tracks/${trackId}/lyrics`)).body).toMatchObject({
      text: 'Mine',
      source: 'user',
    })
    expect((await account.get(`/v1/tracks/${trackId}/tags`)).body.tags).toMatchObject([{ category: 'bpm' }])
  })

  it('marks the lanes as failed with a generic error rather than the analysis service’s', async () => {
    const { account, trackId, dispatchId } = await dispatched()
    const error = { code: 'gpu_on_fire', message: 'http://10.0.0.7/model-x said no' }
    const response = await callBack({ callbackId: crypto.randomUUID(), dispatchId, status: 'failed', error })
    expect(response.body).toEqual({ ok: true, status: 'applied' })
    const status = await waitForProcessing(account, trackId)
    expect(status.readiness).toMatchObject({
      playback: { status: 'ready' },
      tags: { status: 'failed' },
      stems: { status: 'failed' },
      lyrics: { status: 'failed' },
      embeddings: { status: 'failed' },
    })
    expect(status.remoteDispatches[0].error).toEqual({
      code: 'analysis_failed',
      message: 'The audio could not be analysed.',
    })
    expect(JSON.stringify(status)).not.toMatch(/gpu_on_fire|10\.0\.0\.7/)
  })

  it('imports stems and offers them for download', async () => {
    const { account, trackId, dispatchId } = await dispatched()
    const bytes = wav({ seconds: 0.1 })
    const url = service.serveFile(`/stems/${dispatchId}`, bytes)
    const stems = [{ kind: 'vocals', url, contentType: 'audio/wav', durationMs: 100 }]
    await callBack({ callbackId: crypto.randomUUID(), dispatchId, status: 'succeeded', results: { stems } })
    const status = await waitForProcessing(account, trackId)
    expect(status.readiness.stems.status).toBe('ready')
    expect(status.remoteDispatches[0].status).toBe('succeeded')
    const { body } = await account.get(`/v1/tracks/${trackId}/stems`)
    expect(body).toEqual({
      trackId,
      status: 'ready',
      stems: [
        {
          id: expect.any(String),
          kind: 'vocals',
          label: 'vocals',
          assetId: expect.any(String),
          contentType: 'audio/wav',
          byteSize: bytes.length,
          durationMs: 100,
          source: 'ai',
          createdAt: expect.any(String),
        },
      ],
    })
    const download = await account.get(`/v1/tracks/${trackId}/download-url?assetId=${body.stems[0].assetId}`)
    expect(await (await fetch(download.body.url)).bytes()).toEqual(bytes)
  })

  it('rejects a stem URL that points to the gateway itself', async () => {
    const { account, trackId, dispatchId } = await dispatched()
    const url = `${gateway.url}/openapi.json`
    expect((await fetch(url)).status).toBe(200)
    const stems = [{ kind: 'vocals', url, contentType: 'audio/wav' }]
    await callBack({ callbackId: crypto.randomUUID(), dispatchId, status: 'succeeded', results: { stems } })
    const status = await waitForProcessing(account, trackId)
    expect(status.readiness.stems.status).toBe('failed')
    expect(status.remoteDispatches).toMatchObject([
      {
        status: 'failed',
        error: { code: 'stems_rejected', message: 'The separated stems were not accepted.' },
      },
    ])
    expect((await account.get(`/v1/tracks/${trackId}/stems`)).body.stems).toEqual([])
    expect(status.assets.filter(({ kind }: { kind: string }) => kind === 'stem')).toEqual([])
    const lines = gateway.log.lines.filter(({ fields }) => fields.dispatchId === dispatchId)
    expect(lines).toEqual([
      {
        level: 'warn',
        message: 'separated stem rejected',
        fields: {
          dispatchId,
          reason: 'destination_not_allowed',
          host: new URL(url).host,
          traceId: expect.any(String),
        },
      },
    ])
    const jobs = () => gateway.database.sql`
      select state::text, retry_count from pgboss.job
      where name = 'import-stems' and data->>'dispatchId' = ${dispatchId}`
    await expect.poll(async () => [...(await jobs())]).toEqual([{ state: 'completed', retry_count: 0 }])
  })

  it('returns the status "stale" once another version is current', async () => {
    const { account, trackId, dispatchId, versionId } = await dispatched()
    const second = await uploadFile(account, trackId, createFile({ bytes: wav({ seconds: 2 }) }))
    const isReady = async () =>
      (await account.get(`/v1/tracks/${trackId}/versions`)).body.versions[1].status === 'ready'
    await expect.poll(isReady, { timeout: 10_000 }).toBe(true)
    await account.post(`/v1/tracks/${trackId}/versions/${second.versionId}/promote`)
    const response = await callBack({
      callbackId: crypto.randomUUID(),
      dispatchId,
      status: 'succeeded',
      results,
    })
    expect(response.body).toEqual({ ok: true, status: 'stale' })
    expect((await account.get(`/v1/tracks/${trackId}/tags`)).body.tags).toEqual([])
    const [old] = await gateway.database.sql`
      select error_code from media_dispatches where version_id = ${versionId}`
    expect(old?.error_code).toBe('superseded')
  })

  it('ends the dispatch of a version that the core has replaced, so it can be analysed again', async () => {
    const { account, trackId, dispatchId, versionId } = await dispatched()
    const second = await uploadFile(account, trackId, createFile({ bytes: wav({ seconds: 2 }) }))
    const { sql } = gateway.database
    await sql`update tracks set current_version_id = ${second.versionId} where id = ${trackId}`
    const late = { callbackId: crypto.randomUUID(), dispatchId, status: 'succeeded', results }
    expect((await callBack(late)).body).toEqual({ ok: true, status: 'stale' })
    await account.post(`/v1/tracks/${trackId}/versions/${versionId}/promote`)
    await expect
      .poll(() => dispatchesOf(account, trackId), { timeout: 10_000 })
      .toMatchObject([
        { id: dispatchId, status: 'failed', error: { code: 'superseded' } },
        { status: 'dispatched' },
      ])
  })

  it('returns 404 if the track is being deleted', async () => {
    const { trackId, dispatchId } = await dispatched()
    const { sql } = gateway.database
    const countWaiting = async () =>
      (
        await sql`
          select count(*)::int as count from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`
      )[0]?.count
    let response: ReturnType<typeof callBack> | undefined
    await sql.begin(async (deletion) => {
      await deletion`delete from tracks where id = ${trackId}`
      response = callBack({ callbackId: crypto.randomUUID(), dispatchId, status: 'succeeded', results })
      await expect.poll(countWaiting, { interval: 10 }).toBe(1)
    })
    expect((await response)?.body).toEqual(errorBody('media_dispatch_not_found'))
  })

  const body = JSON.stringify({ callbackId: 'x', dispatchId: 'unknown', status: 'failed' })
  const signedAs = (signature: string) => ({ 'media-intelligence-signature': signature })
  // Each test signs when it runs. In a slow run, a future signature made at the start could be valid by the time it
  // is sent.
  it.each([
    ['no signature', () => ({})],
    ['a signature by a wrong secret', () => signedAs(signAnalysisCallback(body, { secret: 'wrong secret' }))],
    ['a signature of a different body', () => signedAs(signAnalysisCallback(`${body} `))],
    ['a signature that is too old', () => signedAs(signAnalysisCallback(body, { at: Date.now() - 302_000 }))],
    ['a signature from the future', () => signedAs(signAnalysisCallback(body, { at: Date.now() + 330_000 }))],
    ['two timestamps', () => signedAs(`t=1,${signAnalysisCallback(body)}`)],
  ])('returns 401 for %s', async (_, headers) => {
    const response = await gateway.request('POST', path, { body, headers: headers() })
    expect(response.status).toBe(401)
    expect(response.body).toEqual(errorBody('media_intelligence_signature_invalid'))
  })

  it('validates the body before it looks up the dispatch', async () => {
    expect((await callBack('{"')).body).toMatchObject({ error: 'invalid_json' })
    expect((await callBack('{}')).body).toMatchObject({ error: 'validation_error' })
    const unknown = await callBack(body)
    expect(unknown.status).toBe(404)
    expect(unknown.body).toEqual(errorBody('media_dispatch_not_found'))
  })
})

describe('media-intelligence.callback without a secret', () => {
  const gateway = startTestGateway()

  it('returns 503', async () => {
    const response = await gateway.request('POST', path, { body: '{}' })
    expect(response.status).toBe(503)
    expect(response.body).toEqual(errorBody('media_intelligence_not_configured'))
  })
})
