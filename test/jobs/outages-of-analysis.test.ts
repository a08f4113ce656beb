import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '#db/client/connection.ts'
import { createDatabasePort } from '#db/client/drizzle.ts'
import { redrive } from '#jobs/redrive.ts'
import { analysisSecret, signAnalysisCallback } from '#test/support/analysis-service.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { startTestJobs } from '#test/support/jobs.ts'
import { wav } from '#test/support/media/audio-files.ts'
import { createFile, uploadFile } from '#test/support/uploads.ts'
import { observeJobs, readProcessing, readStage } from '#test/support/waiting-jobs.ts'

const attemptsInOutage = 7
const unreachable = { code: 'analysis_unreachable', message: 'The analysis service could not be reached.' }
const unfetched = { code: 'stems_unavailable', message: 'The separated stems could not be fetched.' }
const vocals = wav()

describe('jobs during an outage of the analysis service', () => {
  const gateway = startTestGateway({
    storage: true,
    environment: { MEDIA_INTELLIGENCE_URL: 'http://127.0.0.1:9', MEDIA_INTELLIGENCE_SECRET: analysisSecret },
  })
  const available: RequestListener = (request, response) =>
    request.method === 'GET' ? response.end(vocals) : response.writeHead(202).end()
  let handle = available
  const server = createServer((request, response) => handle(request, response))
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let database: ReturnType<typeof openDatabase>
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    database = openDatabase(gateway.database.url, { connections: 1, prepare: gateway.database.prepare })
  })
  afterAll(async () => {
    await database.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  startTestJobs(gateway, {
    environment: () => ({
      MEDIA_INTELLIGENCE_URL: url(),
      MEDIA_INTELLIGENCE_SECRET: analysisSecret,
      MEDIA_INTELLIGENCE_ORIGINS: url(),
    }),
  })
  const jobs = observeJobs(gateway)

  const upload = async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    await uploadFile(account, trackId, createFile({ bytes: wav() }))
    const readLane = async (lane: string) => (await readProcessing(account, trackId)).readiness[lane]?.status
    const readDispatch = async () => (await readProcessing(account, trackId)).remoteDispatches[0]
    const waitForDispatch = (status: string) =>
      expect.poll(async () => (await readDispatch())?.status, { timeout: 20_000 }).toBe(status)
    const reportStems = async () => {
      const { id } = await readDispatch()
      const stem = { kind: 'vocals', label: 'Vocals', contentType: 'audio/wav', url: `${url()}/vocals.wav` }
      const body = JSON.stringify({
        callbackId: id,
        dispatchId: id,
        status: 'succeeded',
        results: { stems: [stem] },
      })
      const response = await gateway.request('POST', '/v1/media-intelligence/callback', {
        headers: { 'media-intelligence-signature': signAnalysisCallback(body) },
        body,
      })
      expect(response.status).toBe(200)
    }
    return {
      readLane,
      readDispatch,
      waitForDispatch,
      reportStems,
      stage: (lane: string) => readStage(account, trackId, lane),
    }
  }

  it.each([
    ['responds with 503', (_, response) => response.writeHead(503).end()],
    ['responds with 429', (_, response) => response.writeHead(429).end()],
    ['closes the connection', (request) => request.destroy()],
  ] satisfies [string, RequestListener][])(
    'wait while the service %s, and send the dispatch afterwards',
    async (_, outage) => {
      handle = outage
      const track = await upload()
      for (let attempt = 1; attempt <= attemptsInOutage; attempt++) {
        await jobs.waitForRetry('dispatch-analysis', attempt)
        expect(await track.readLane('stems')).toBe('processing')
        expect(await track.stage('stems')).toMatchObject({ status: 'queued', error: unreachable })
        if (attempt < attemptsInOutage) await jobs.startRetries()
      }
      expect(await track.readDispatch()).toMatchObject({
        status: 'queued',
        attempt: attemptsInOutage,
        error: null,
      })
      expect(await track.readLane('playback')).toBe('ready')
      handle = available
      await jobs.startRetries()
      await track.waitForDispatch('dispatched')
      expect(await track.stage('stems')).toMatchObject({ status: 'running', error: null })
      expect(await track.readLane('stems')).toBe('processing')
    },
  )

  it('keep a dispatch from timing out while it waits', async () => {
    handle = (_, response) => response.writeHead(503).end()
    const track = await upload()
    await jobs.waitForRetry('dispatch-analysis', 1)
    const { id } = await track.readDispatch()
    await gateway.database.sql`
      update media_dispatches set updated_at = now() - interval '8 hours' where id = ${id}`
    // Long enough for several sweeps.
    await new Promise((resolve) => setTimeout(resolve, 1000))
    expect(await track.readDispatch()).toMatchObject({ status: 'queued', error: null })
    handle = available
    await jobs.startRetries()
    await track.waitForDispatch('dispatched')
  })

  it('fail after a day, and redrive then puts the dispatch back in the queue', async () => {
    handle = (_, response) => response.writeHead(503).end()
    const track = await upload()
    await jobs.waitForRetry('dispatch-analysis', 1)
    await jobs.ageOutages(24)
    await jobs.startRetries()
    await track.waitForDispatch('failed')
    expect(await track.readDispatch()).toMatchObject({ error: unreachable })
    expect(await track.readLane('stems')).toBe('failed')
    await jobs.waitForDeadLetters()
    handle = available
    expect(await redrive(createDatabasePort(database), 'dispatch-analysis')).toEqual(
      new Map([['dispatch-analysis', { redriven: 1, obsolete: 0, busy: 0 }]]),
    )
    await track.waitForDispatch('dispatched')
    expect(await track.readLane('stems')).toBe('processing')
  })

  it('are put back by redrive without lanes of a run that the same outage has ended', async () => {
    handle = (_, response) => response.writeHead(503).end()
    const track = await upload()
    await jobs.waitForRetry('dispatch-analysis', 1)
    await jobs.ageOutages(24)
    await jobs.startRetries()
    await track.waitForDispatch('failed')
    await jobs.waitForDeadLetters()
    const { id } = await track.readDispatch()
    const { sql } = gateway.database
    await sql`update media_dispatches set error_code = 'network_unavailable' where id = ${id}`
    await sql`
      update processing_stages set status = 'failed', error_code = 'network_unavailable'
      where version_id = (select version_id from media_dispatches where id = ${id})`
    handle = available
    await redrive(createDatabasePort(database), 'dispatch-analysis')
    await track.waitForDispatch('dispatched')
    expect(await track.readLane('stems')).toBe('processing')
    expect(await track.readLane('waveform')).toBe('ready')
    expect(await track.stage('waveform')).toMatchObject({ status: 'failed' })
  })

  it('wait until stems can be fetched, and then import them', async () => {
    handle = available
    const track = await upload()
    await track.waitForDispatch('dispatched')
    handle = (_, response) => response.writeHead(503).end()
    await track.reportStems()
    for (let attempt = 1; attempt <= attemptsInOutage; attempt++) {
      await jobs.waitForRetry('import-stems', attempt)
      expect(await track.readLane('stems')).toBe('processing')
      expect(await track.stage('stems')).toMatchObject({ status: 'queued', error: unfetched })
      if (attempt < attemptsInOutage) await jobs.startRetries()
    }
    handle = available
    await jobs.startRetries()
    await track.waitForDispatch('succeeded')
    expect(await track.readLane('stems')).toBe('ready')
    expect(await track.stage('stems')).toMatchObject({ status: 'succeeded', error: null })
  })

  it('give up importing stems after a day, and redrive puts the import back in the queue', async () => {
    handle = available
    const track = await upload()
    await track.waitForDispatch('dispatched')
    handle = (request) => request.destroy()
    await track.reportStems()
    await jobs.waitForRetry('import-stems', 1)
    await jobs.ageOutages(24)
    await jobs.startRetries()
    await track.waitForDispatch('failed')
    expect(await track.stage('stems')).toMatchObject({ status: 'failed', error: unfetched })
    await jobs.waitForDeadLetters()
    handle = available
    expect(await redrive(createDatabasePort(database), null)).toEqual(
      new Map([['import-stems', { redriven: 1, obsolete: 0, busy: 0 }]]),
    )
    await track.waitForDispatch('succeeded')
    expect(await track.readLane('stems')).toBe('ready')
  })
})
