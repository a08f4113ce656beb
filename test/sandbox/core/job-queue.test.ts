import { PgBoss } from 'pg-boss'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { queueJob } from '#sandbox/core/job-queue.ts'
import { type RunningCore, runCore } from './running-core.ts'

let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

describe('what the core leaves to the workers', () => {
  it('is fetched by them as a job of their own, to be tried as often as their queue says', async () => {
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

  it('is nothing where the transaction is not committed', async () => {
    const failing = core.sql.begin(async (tx) => {
      await queueJob(tx, { queue: 'dispatch-analysis', dispatchId: 'dispatch_1' })
      throw new Error('undone')
    })
    await expect(failing).rejects.toThrow('undone')
    expect(await core.sql`select 1 from pgboss.job where name = 'dispatch-analysis'`).toEqual([])
  })
})
