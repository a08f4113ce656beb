import { PgBoss } from 'pg-boss'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertJob, type Job, queueDueRetries } from '#db/queries/jobs.ts'
import { freshDatabase, type TestDatabase } from '#test/support/database.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'

// What works the queues off in production, one job after another and by hand.
describe('a job queue', () => {
  let database: TestDatabase
  let boss: PgBoss
  beforeAll(async () => {
    database = await freshDatabase()
    boss = new PgBoss({
      connectionString: database.url,
      migrate: false,
      createSchema: false,
      supervise: false,
      schedule: false,
      max: 2,
    })
    await boss.start()
  })
  afterAll(async () => {
    await boss.stop({ graceful: false })
    await database.close()
  })
  const tracks = new Map<string, string>()
  beforeEach(async () => {
    await database.sql`truncate pgboss.job, job_queue_accounts, job_queue_rounds`
    await database.sql`truncate tracks cascade`
    tracks.clear()
  })

  const queue = 'check-asset'
  const trackOf = async (account: string) => {
    const trackId = tracks.get(account) ?? (await insertTrackOf(database.sql, account))
    tracks.set(account, trackId)
    return trackId
  }
  const assets = async (account: string, count: number) => {
    const trackId = await trackOf(account)
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
  const add = async (account: string, count = 1) => {
    for (const assetId of await assets(account, count))
      await database.db.transaction((tx) => insertJob(tx, { queue, assetId }))
  }

  const start = async () => {
    const [job] = await boss.fetch(queue)
    if (!job) return null
    const [owner] = await database.sql<{ id: string; account: string }[]>`
      select ${job.id} as id, owner_id as account from tracks
      where id = (select track_id from media_assets where id = ${(job.data as { assetId: string }).assetId})`
    return owner!
  }
  const serve = async (count: number) => {
    const served: string[] = []
    for (let index = 0; index < count; index++) {
      const job = await start()
      if (!job) break
      served.push(job.account)
      await boss.complete(queue, job.id)
    }
    return served.join('')
  }

  it('delays the job of an account by at most one of another account that has a hundred waiting', async () => {
    await add('a', 100)
    await add('b')
    expect(await serve(3)).toBe('aba')
    await add('c')
    expect(await serve(2)).toMatch(/^c|^ac/)
  })

  it('starts the job of another account next while all workers are busy with one account', async () => {
    await add('a', 100)
    await start()
    await start()
    await add('b')
    await add('c')
    expect(await serve(3)).toBe('bca')
  })

  it('serves accounts in turn', async () => {
    await add('a', 5)
    await add('b', 4)
    await add('c', 3)
    expect(await serve(12)).toBe('abcabcabcaba')
  })

  it('serves an account whose jobs wait while another goes on sending', async () => {
    await add('a', 3)
    let served = ''
    for (let round = 0; round < 8; round++) {
      await add('b')
      served += await serve(1)
    }
    expect(served.slice(0, 6)).toMatch(/^(?:ab|ba){3}$/)
  })

  it('does not make an account pay later for what it had when nobody else waited', async () => {
    await add('a', 20)
    await serve(20)
    await add('a', 3)
    await add('b', 3)
    expect(await serve(6)).toMatch(/^(?:ab|ba){3}$/)
  })

  it('places jobs one after another that are inserted at the same time', async () => {
    const ids = await assets('a', 8)
    await Promise.all(
      ids.map((assetId) => database.db.transaction((tx) => insertJob(tx, { queue, assetId }))),
    )
    const places = await database.sql`select distinct priority from pgboss.job`
    expect(places).toHaveLength(8)
    await add('b')
    expect(await serve(2)).toBe('ab')
  })

  it('places a retry once it is due, behind the jobs that wait and neither first nor last', async () => {
    await add('a', 20)
    for (let index = 0; index < 20; index++) await boss.fail(queue, (await start())!.id)
    await add('b', 2)
    const makeDue = () => database.sql`update pgboss.job set start_after = now() where state = 'retry'`
    await makeDue()
    // Two instances at once.
    await Promise.all([1, 2].map(() => database.db.transaction(queueDueRetries)))
    await add('c', 2)
    const served = await serve(24)
    expect(served).toHaveLength(24)
    expect(served.slice(0, 6).split('').sort().join('')).toBe('aabbcc')
    const [row] =
      await database.sql`select max(retry_count)::int as most from pgboss.job where state = 'completed'`
    expect(row!.most).toBe(1)
  })

  it('serves retries that no worker has placed when nothing else waits', async () => {
    await add('a')
    await boss.fail(queue, (await start())!.id)
    await database.sql`update pgboss.job set start_after = now() where state = 'retry'`
    expect(await serve(2)).toBe('a')
  })

  it('knows the account of every kind of job', async () => {
    const { sql } = database
    const trackId = await trackOf('a')
    const id = crypto.randomUUID()
    await sql`insert into track_versions (id, track_id, version_number) values (${id}, ${trackId}, 1)`
    await sql`
      insert into ingestion_runs (id, track_id, version_id, trigger) values (${id}, ${trackId}, ${id}, 'upload')`
    await sql`insert into media_dispatches (id, track_id, version_id) values (${id}, ${trackId}, ${id})`
    const [assetId = ''] = await assets('a', 1)
    const jobs: readonly Job[] = [
      { queue: 'process-version', runId: id },
      { queue: 'check-asset', assetId },
      { queue: 'dispatch-analysis', dispatchId: id },
      { queue: 'import-stems', dispatchId: id, stems: [] },
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
