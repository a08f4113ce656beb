import { describe, expect, it, onTestFinished } from 'vitest'
import { startJobsProcess } from '#dev/start/start-child.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { waitForProcessing } from '#test/support/jobs.ts'
import { wav } from '#test/support/media/audio-files.ts'
import { createFile, uploadFile } from '#test/support/uploads.ts'
import { observeJobs, readProcessing, readStage, startOutages } from '#test/support/waiting-jobs.ts'

const queue = 'process-version'

describe('a worker that is killed during an outage', () => {
  const gateway = startTestGateway({ storage: true })
  const outages = startOutages(gateway)
  const jobs = observeJobs(gateway)
  const start = () =>
    startJobsProcess('the jobs', new URL(import.meta.resolve('#bin/jobs.ts')), {
      ...gateway.environment,
      ...outages.environment(),
      LOG_LEVEL: 'silent',
      DRAIN_MS: '0',
      JOBS_ADMIN_PORT: 'off',
    })

  it.each([
    ['before it stores what the job is waiting for', "'outage'"],
    ['after it stores that, but before it gives the job back', 'deleted_jobs AS'],
  ])(
    'leaves a job that still completes, even if it is killed %s',
    async (_, statement) => {
      const worker = await start()
      const stalled = Promise.withResolvers<void>()
      outages.database.onStatement = (_, sent) => {
        // The supervisor also gives jobs back, but its statements do not list their ids.
        if (!sent.includes(statement) || !/outage|ANY\(\$2::uuid/.test(sent)) return null
        stalled.resolve()
        return 'stall'
      }
      onTestFinished(() => {
        outages.database.onStatement = () => null
      })
      outages.storage.setUnavailable(true)
      const account = await gateway.signUp()
      const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
      await uploadFile(account, trackId, createFile({ bytes: wav() }))
      await stalled.promise
      process.kill(worker.pid, 'SIGKILL')
      await worker.exited
      outages.database.cutStalled()
      outages.database.onStatement = () => null

      const next = await start()
      onTestFinished(() => next.stop())
      expect((await readProcessing(account, trackId)).readiness.playback.status).toBe('processing')
      // The killed worker counts as gone only after ten seconds of silence.
      await expect
        .poll(() => jobs.find(queue), { timeout: 60_000 })
        .toMatchObject({ state: 'retry', retryCount: 0 })
      await jobs.startRetries()
      await jobs.waitForRetry(queue, 2)
      expect(await readStage(account, trackId, 'playback')).toMatchObject({
        status: 'queued',
        error: { code: 'storage_unavailable' },
      })
      outages.storage.setUnavailable(false)
      await jobs.startRetries()
      await waitForProcessing(account, trackId)
      expect((await readProcessing(account, trackId)).readiness.playback.status).toBe('ready')
      const runs = await gateway.database.sql`select status from ingestion_runs where track_id = ${trackId}`
      expect(runs).toMatchObject([{ status: 'succeeded' }])
    },
    90_000,
  )
})
