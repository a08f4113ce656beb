import { PgBoss } from 'pg-boss'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { queueJob } from '#sandbox/core/job-queue.ts'
import { type RunningCore, runCore } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

describe('queueJob', () => {
  it('inserts a job that pg-boss fetches, with the retry options of its queue', async () => {
    await queueJob(core.sql, { queue: 'check-asset', assetId: 'asset_1' })
    const boss = new PgBoss({
      connectionString: core.databaseUrl,
      max: 1,
      migrate: false,
      supervise: false,
      schedule: false,
    })
    await boss.start()
    onTestFinished(() => boss.stop({ graceful: false }))
    const queue = await boss.getQueue('check-asset')
    const [job, ...others] = await boss.fetch('check-asset', { includeMetadata: true })
    expect(others).toEqual([])
    expect(job).toMatchObject({
      data: { queue: 'check-asset', assetId: 'asset_1' },
      retryLimit: queue?.retryLimit,
      retryDelay: queue?.retryDelay,
      deadLetter: queue?.deadLetter,
      policy: queue?.policy,
    })
  })

  it('does not queue a job if the transaction is rolled back', async () => {
    const failing = core.sql.begin(async (tx) => {
      await queueJob(tx, { queue: 'dispatch-analysis', dispatchId: 'dispatch_1' })
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await core.sql`select 1 from pgboss.job where name = 'dispatch-analysis'`).toEqual([])
  })
})
