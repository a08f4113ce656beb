import { afterAll, expect, it } from 'vitest'
import { startJobs } from '#bin/process/start-jobs.ts'
import { createPromRegistry } from '#gateway/observability/metrics-prom-client.ts'
import { readJobSettings } from '#gateway/settings/settings.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { findValue, parseMetrics } from '#test/support/metrics.ts'

const gateway = startTestGateway({ storage: true })
const closing: (() => Promise<void>)[] = []
afterAll(() => Promise.all(closing.map((close) => close())))

const start = async () => {
  const registry = createPromRegistry()
  const settings = readJobSettings({ ...gateway.environment, PUBLIC_BASE_URL: gateway.url }, () => true)
  const worker = await startJobs(settings, gateway.log, { registry })
  closing.push(() => worker.stop())
  return registry
}

const insertJob = (job: Readonly<Record<string, string>>) =>
  gateway.database.sql`
    insert into pgboss.job (name, data) values (${job.queue ?? ''}, ${gateway.database.sql.json(job)})`

const findEnd = (queue: string) =>
  gateway.log.lines.find(({ message, fields }) => message.startsWith('job ') && fields.queue === queue)

it('a worker logs and counts each job that ended, with its outcome and duration', async () => {
  const registry = await start()
  await insertJob({ queue: 'check-asset', assetId: 'asset_unknown' })
  // The job names no run, so its SQL statement is rejected.
  await insertJob({ queue: 'process-version' })
  await expect.poll(() => findEnd('check-asset'), { timeout: 20_000 }).toBeDefined()
  await expect.poll(() => findEnd('process-version'), { timeout: 20_000 }).toBeDefined()
  const ended = { job: expect.stringMatching(/^[0-9a-f-]{36}$/), durationMs: expect.any(Number) }
  expect(findEnd('check-asset')).toMatchObject({
    level: 'info',
    message: 'job completed',
    fields: { queue: 'check-asset', ...ended },
  })
  expect(findEnd('process-version')).toMatchObject({
    level: 'warn',
    message: 'job failed',
    fields: { queue: 'process-version', ...ended, failure: { name: expect.any(String) } },
  })
  const families = parseMetrics(await registry.format())
  const count = (queue: string, result: string) =>
    findValue(families, 'crossfade_job_duration_seconds_count', { queue, result })
  expect(count('check-asset', 'done')).toBe(1)
  expect(count('process-version', 'failed')).toBeGreaterThanOrEqual(1)
}, 60_000)
