import { PgBoss } from 'pg-boss'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openQueueDatabase, type QueueDatabase } from '#db/client/queue-database.ts'
import { checkQueues, insertJob, type Job } from '#db/queries/jobs/jobs.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'

// Fetches one job at a time with pg-boss, which also processes the queues in production.
describe('the job queue', () => {
  let database: TestDatabase
  let boss: PgBoss
  let queues: QueueDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
    queues = openQueueDatabase(database.url, { ca: undefined, connections: 2, prepare: database.prepare })
    boss = new PgBoss({
      db: { executeSql: queues.executeSql },
      migrate: false,
      createSchema: false,
      supervise: false,
      schedule: false,
    })
    await boss.start()
  })
  afterAll(async () => {
    await boss.stop({ graceful: false })
    await queues.close()
    await database.close()
  })
  const tracks = new Map<string, string>()
  beforeEach(async () => {
    await database.sql`truncate pgboss.job, job_queue_accounts, job_queue_rounds`
    await database.sql`truncate tracks cascade`
    tracks.clear()
  })

  const queue = 'check-asset'
  const ensureTrack = async (account: string) => {
    const trackId = tracks.get(account) ?? (await insertTrackOf(database.sql, account))
    tracks.set(account, trackId)
    return trackId
  }
  const insertAssets = async (account: string, count: number) => {
    const trackId = await ensureTrack(account)
    const rows = Array.from({ length: count }, () => {
      const id = crypto.randomUUID()
      return {
        id,
        track_id: trackId,
        kind: 'artwork',
        byte_size: 1,
        file_name: 'a',
        content_type: 'image/png',
        storage_key: id,
      }
    })
    await database.sql`insert into media_assets ${database.sql(rows)}`
    return rows.map(({ id }) => id)
  }
  const addJobs = async (account: string, count = 1) => {
    for (const assetId of await insertAssets(account, count))
      await database.db.transaction((tx) => insertJob(tx, { queue, assetId }))
  }

  const startJob = async () => {
    const [job] = await boss.fetch(queue)
    if (!job) return null
    const [owner] = await database.sql<{ id: string; account: string }[]>`
      select ${job.id} as id, owner_id as account from tracks
      where id = (select track_id from media_assets where id = ${(job.data as { assetId: string }).assetId})`
    return owner!
  }
  const serveJobs = async (count: number) => {
    const served: string[] = []
    for (let index = 0; index < count; index++) {
      const job = await startJob()
      if (!job) break
      served.push(job.account)
      await boss.complete(queue, job.id)
    }
    return served.join('')
  }

  it("delays an account's job by at most one job from an account that has a hundred waiting", async () => {
    await addJobs('a', 100)
    await addJobs('b')
    expect(await serveJobs(3)).toBe('aba')
    await addJobs('c')
    expect(await serveJobs(2)).toMatch(/^c|^ac/)
  })

  it("starts another account's job next while all workers are busy with one account", async () => {
    await addJobs('a', 100)
    await startJob()
    await startJob()
    await addJobs('b')
    await addJobs('c')
    expect(await serveJobs(3)).toBe('bca')
  })

  it('serves accounts round-robin', async () => {
    await addJobs('a', 5)
    await addJobs('b', 4)
    await addJobs('c', 3)
    expect(await serveJobs(12)).toBe('abcabcabcaba')
  })

  it('does not starve waiting jobs while another account keeps adding jobs', async () => {
    await addJobs('a', 3)
    let served = ''
    for (let round = 0; round < 8; round++) {
      await addJobs('b')
      served += await serveJobs(1)
    }
    expect(served.slice(0, 6)).toMatch(/^(?:ab|ba){3}$/)
  })

  it('does not penalize an account for jobs that ran while no other account was waiting', async () => {
    await addJobs('a', 20)
    await serveJobs(20)
    await addJobs('a', 3)
    await addJobs('b', 3)
    expect(await serveJobs(6)).toMatch(/^(?:ab|ba){3}$/)
  })

  it('gives jobs that are added concurrently separate places, and serves another account after the first', async () => {
    const ids = await insertAssets('a', 8)
    await Promise.all(
      ids.map((assetId) => database.db.transaction((tx) => insertJob(tx, { queue, assetId }))),
    )
    const priorities = await database.sql`select distinct priority from pgboss.job`
    expect(priorities).toHaveLength(8)
    await addJobs('b')
    expect(await serveJobs(2)).toBe('ab')
  })

  it("serves one account's due retries in turn with other accounts' jobs, and each only once", async () => {
    await addJobs('a', 20)
    for (let index = 0; index < 20; index++) await boss.fail(queue, (await startJob())!.id)
    await addJobs('b', 2)
    const makeDue = () => database.sql`update pgboss.job set start_after = now() where state = 'retry'`
    await makeDue()
    // Two instances check the queues concurrently.
    await Promise.all([1, 2].map(() => database.db.transaction((tx) => checkQueues(tx, null))))
    await addJobs('c', 2)
    const served = await serveJobs(24)
    expect(served).toHaveLength(24)
    expect(served.slice(0, 6).split('').sort().join('')).toBe('aabbcc')
    const [row] =
      await database.sql`select max(retry_count)::int as most from pgboss.job where state = 'completed'`
    expect(row!.most).toBe(1)
  })

  it('serves a retry that no worker has queued if no other job is waiting', async () => {
    await addJobs('a')
    await boss.fail(queue, (await startJob())!.id)
    await database.sql`update pgboss.job set start_after = now() where state = 'retry'`
    expect(await serveJobs(2)).toBe('a')
  })

  it('assigns every kind of job to the owner of its track or pack', async () => {
    const { sql } = database
    const trackId = await ensureTrack('a')
    const id = crypto.randomUUID()
    await sql`insert into track_versions (id, track_id, version_number) values (${id}, ${trackId}, 1)`
    await sql`
      insert into ingestion_runs (id, track_id, version_id, trigger) values (${id}, ${trackId}, ${id}, 'upload')`
    await sql`insert into media_dispatches (id, track_id, version_id) values (${id}, ${trackId}, ${id})`
    const [assetId = ''] = await insertAssets('a', 1)
    await sql`insert into packs (id, owner_id, name) values (${id}, 'a', 'EP')`
    await sql`insert into pack_invitations (id, pack_id, email) values (${id}, ${id}, 'ann@example.test')`
    const jobs: readonly Job[] = [
      { queue: 'process-version', runId: id },
      { queue: 'check-asset', assetId },
      { queue: 'dispatch-analysis', dispatchId: id },
      { queue: 'import-stems', dispatchId: id, stems: [] },
      { queue: 'send-invitation', invitationId: id, packName: 'EP' },
    ]
    for (const job of jobs) await database.db.transaction((tx) => insertJob(tx, job))
    const found = await sql<
      { name: string; group_id: string }[]
    >`select name, group_id from pgboss.job order by name`
    expect(found.map((row) => [row.name, row.group_id])).toEqual(
      jobs.map((job) => [job.queue, 'a']).toSorted(),
    )
  })
})
