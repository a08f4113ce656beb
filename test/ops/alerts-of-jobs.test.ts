import { describe, expect, onTestFinished } from 'vitest'
import { startEmailProvider } from '#dev/sandbox/email/start-email.ts'
import { startJobsProcess } from '#dev/start/start-child.ts'
import { isAbove, itWithPromtool, jobsJob as job, scrape, scrapeUntil } from '#test/support/alert-scrapes.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { expectAlerts } from '#test/support/promtool.ts'
import { type RawCore, startRawCore } from '#test/support/raw-core.ts'
import { insertPackOf } from '#test/support/share-fixtures.ts'
import { observeJobs } from '#test/support/waiting-jobs.ts'

const module = new URL(import.meta.resolve('#bin/jobs.ts'))
const queue = 'send-invitation'

describe('a jobs process', () => {
  const gateway = startTestGateway({
    throughRelay: true,
    nativeLabels: ['packs.invitations.create'],
    environment: { EMAIL_API_KEY: 'key-of-the-tests', EMAIL_FROM: 'invitations@example.test' },
  })

  const startJobs = async (emailUrl: string) => {
    const worker = await startJobsProcess('the jobs', module, {
      ...gateway.environment,
      EMAIL_API_BASE: emailUrl,
      LOG_LEVEL: 'silent',
      DRAIN_MS: '0',
    })
    onTestFinished(async () => {
      await worker.stop()
      await gateway.database.sql`delete from pgboss.job`
    })
    return worker
  }

  const sendInvitations = async (count: number) => {
    const owner = await gateway.signUp()
    const { packId } = await insertPackOf(gateway.database.sql, owner.accountId)
    for (let sent = 0; sent < count; sent += 1) {
      const body = { email: `${crypto.randomUUID()}@example.test` }
      expect((await owner.post(`/v1/packs/${packId}/invitations`, body)).status).toBe(201)
    }
  }

  itWithPromtool('raises the alert for failing jobs when the e-mail provider rejects its key', async () => {
    const provider = await startEmailProvider({ webhookSecret: null, apiKey: 'another-key' })
    onTestFinished(() => provider.close())
    const worker = await startJobs(provider.url)
    const before = await scrape(worker)
    await sendInvitations(8)
    const during = await scrapeUntil(worker, {
      metric: 'crossfade_job_duration_seconds_count',
      labels: { queue, result: 'failed' },
      isReached: isAbove(5),
    })
    await expectAlerts(['CrossfadeJobsFailing'], [{ job, before, during: [during] }])
  })

  itWithPromtool('raises the alert for retrying jobs while one waits for the e-mail provider', async () => {
    const worker = await startJobs('http://127.0.0.1:9')
    const before = await scrape(worker)
    await sendInvitations(1)
    const during = await scrapeUntil(worker, {
      metric: 'crossfade_jobs',
      labels: { queue, state: 'retrying' },
      isReached: isAbove(0),
    })
    await expectAlerts(['CrossfadeJobsRetrying'], [{ job, before, during: [during] }])
  })

  itWithPromtool(
    'raises the alert for dead-lettered jobs after a day without the e-mail provider',
    async () => {
      const worker = await startJobs('http://127.0.0.1:9')
      const before = await scrape(worker)
      await sendInvitations(1)
      const jobs = observeJobs(gateway)
      await jobs.waitForRetry(queue, 1)
      await jobs.ageOutages(24)
      await jobs.startRetries()
      const during = await scrapeUntil(worker, {
        metric: 'crossfade_jobs',
        labels: { queue, state: 'failed' },
        isReached: isAbove(0),
      })
      await expectAlerts(['CrossfadeJobsDeadLettered'], [{ job, before, during: [during] }])
    },
  )

  itWithPromtool('raises the alert for stuck jobs when the e-mail provider does not respond', async () => {
    const provider: RawCore = await startRawCore(() => {})
    onTestFinished(() => provider.close())
    const worker = await startJobs(provider.url)
    const before = await scrape(worker)
    await sendInvitations(10)
    await expect.poll(() => provider.requests.length, { timeout: 60_000 }).toBeGreaterThan(0)
    // Stands in for ten minutes without a response from the provider.
    await gateway.database.sql`
        update pgboss.job set start_after = now() - interval '10 minutes'
        where name = ${queue} and state = 'created'`
    const during = await scrapeUntil(worker, {
      metric: 'crossfade_jobs_oldest_seconds',
      labels: { queue },
      isReached: isAbove(300),
    })
    await expectAlerts(['CrossfadeJobsStuck'], [{ job, before, during: [during] }])
  })

  itWithPromtool('raises the alert for unknown jobs while it cannot reach the database', async () => {
    const worker = await startJobs('http://127.0.0.1:9')
    const before = await scrape(worker)
    gateway.relay.setUnavailable(true)
    onTestFinished(() => gateway.relay.setUnavailable(false))
    const during = await scrapeUntil(worker, {
      metric: 'crossfade_jobs',
      labels: { queue: 'process-version' },
      isReached: (value) => value === undefined,
    })
    await expectAlerts(['CrossfadeJobsUnknown'], [{ job, before, during: [during] }])
  })
})
