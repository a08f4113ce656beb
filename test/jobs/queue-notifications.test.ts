import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { startJobs } from '#bin/process/start-jobs.ts'
import { readJobSettings } from '#gateway/settings/settings.ts'
import { startDatabaseRelay } from '#test/support/database-relay.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { isInstalledOrSkipped } from '#test/support/installed-programs.ts'
import { type PgBouncer, startPgBouncer } from '#test/support/pgbouncer.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

const isInstalled = isInstalledOrSkipped('pgbouncer', 'the tests of job workers behind a pooler')

describe('a job worker', () => {
  const gateway = startTestGateway({ storage: true })

  const startJobsProcess = async (environment: Readonly<Record<string, string>> = {}) => {
    const log = createRecordingLog()
    const settings = readJobSettings(
      {
        ...gateway.environment,
        DATABASE_URL: gateway.database.directUrl,
        DATABASE_PREPARE: 'on',
        PUBLIC_BASE_URL: gateway.url,
        ...environment,
      },
      () => true,
    )
    const worker = await startJobs(settings, log)
    onTestFinished(() => worker.stop())
    const hasLogged = (message: string) => log.lines.some((line) => line.message === message)
    const waitFor = (message: string) => expect.poll(() => hasLogged(message), { timeout: 15_000 }).toBe(true)
    return { log, worker, hasLogged, waitFor }
  }

  const insertJobs = async (count: number, startAfterS = 0) => {
    const rows = await gateway.database.sql<{ id: string }[]>`
      insert into pgboss.job (name, data, start_after)
      select 'check-asset', '{"queue": "check-asset", "assetId": "unknown"}', now() + ${startAfterS} * interval '1 second'
      from generate_series(1, ${count}) returning id`
    return rows.map(({ id }) => id)
  }
  const countCompleted = async (ids: readonly string[]) => {
    const [row] = await gateway.database.sql`
      select count(*)::int from pgboss.job where id = any(${ids}::uuid[]) and state = 'completed'`
    return row?.count
  }
  const expectCompleted = (ids: readonly string[], timeout = 10_000) =>
    expect.poll(() => countCompleted(ids), { timeout, interval: 20 }).toBe(ids.length)
  it('needs only notifications to run all jobs inserted together, even if its statement for due retries fails', async () => {
    const { waitFor } = await startJobsProcess()
    await waitFor('job notifications received')
    await gateway.database.sql`alter function place_due_retries() rename to place_retries`
    onTestFinished(async () => {
      await gateway.database.sql`alter function place_retries() rename to place_due_retries`
    })
    await expectCompleted(await insertJobs(30))
  })

  it('runs a delayed job when it is due', async () => {
    const { waitFor } = await startJobsProcess()
    await waitFor('job notifications received')
    const ids = await insertJobs(1, 2)
    expect(await countCompleted(ids)).toBe(0)
    // Without a check at the time it is due, the job would wait for the next supervision.
    await expectCompleted(ids, 4500)
  })

  it('runs a job whose notification was lost', async () => {
    const { waitFor } = await startJobsProcess()
    await waitFor('job notifications received')
    await gateway.database.sql`alter table pgboss.job disable trigger job_is_notified`
    onTestFinished(async () => {
      await gateway.database.sql`alter table pgboss.job enable trigger job_is_notified`
    })
    await expectCompleted(await insertJobs(3), 20_000)
  })

  it('polls while its connection for notifications is lost, and then listens again', async () => {
    const relay = await startDatabaseRelay(gateway.database.directUrl)
    onTestFinished(() => relay.close())
    const { waitFor, log } = await startJobsProcess({ DATABASE_DIRECT_URL: relay.url })
    await waitFor('job notifications received')
    relay.setUnavailable(true)
    await waitFor('job notifications unavailable')
    await expectCompleted(await insertJobs(3))
    relay.setUnavailable(false)
    const received = () => log.lines.filter(({ message }) => message === 'job notifications received').length
    await expect.poll(received, { timeout: 15_000 }).toBe(2)
  })

  describe.skipIf(!isInstalled)('behind a pooler that loses notifications', () => {
    let pooler: PgBouncer
    beforeAll(async () => {
      pooler = await startPgBouncer(inject('databaseServer').url)
    })
    afterAll(() => pooler.stop())

    it('notices that notifications are lost, and polls', async () => {
      const url = pooler.url.replace(/\/postgres$/, new URL(gateway.database.directUrl).pathname)
      const { waitFor, hasLogged } = await startJobsProcess({ DATABASE_URL: url, DATABASE_PREPARE: 'off' })
      await waitFor('job notifications unavailable')
      await expectCompleted(await insertJobs(3), 3000)
      expect(hasLogged('job notifications received')).toBe(false)
    })
  })
})
