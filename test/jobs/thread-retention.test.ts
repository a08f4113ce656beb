import { expect, it } from 'vitest'
import { openDatabase } from '#db/client/connection.ts'
import { createDatabasePort } from '#db/client/drizzle.ts'
import { createHourlyThreadRetention } from '#jobs/retention.ts'
import { startTestGateway } from '#test/support/gateway.ts'

const gateway = startTestGateway()

const dayMs = 86_400_000
const hourMs = 3_600_000

it('threads past their retention period and old usage counts are deleted once an hour', async () => {
  const { sql, directUrl } = gateway.database
  const now = Date.parse('2026-05-10T12:00:00.000Z')
  const insertThread = async (daysAgo: number) => {
    const id = crypto.randomUUID()
    const at = new Date(now - daysAgo * dayMs).toISOString()
    await sql`
      insert into analysis_threads (id, account_id, title, message_count, created_at, updated_at)
      values (${id}, 'acct_of_jobs', 'title', 1, ${at}, ${at})`
    await sql`
      insert into analysis_messages (id, thread_id, position, role, text)
      values (${id}, ${id}, 1, 'user', 'question')`
    return id
  }
  const ids = [await insertThread(100), await insertThread(90)]
  const kept = await insertThread(89)
  await sql`
    insert into analysis_usage (account_id, day, questions)
    values ('acct_of_jobs', '2026-05-07', 1), ('acct_of_jobs', '2026-05-08', 1), ('acct_of_jobs', '2026-05-10', 1)`

  const database = openDatabase(directUrl)
  const run = createHourlyThreadRetention()
  const runAt = (atMs: number) =>
    run(
      { db: createDatabasePort(database), clock: { now: () => new Date(atMs) }, threadRetentionDays: 90 },
      new AbortController().signal,
    )
  const listThreads = async () => (await sql`select id from analysis_threads`).map(({ id }) => id)
  try {
    await runAt(now)
    expect(await listThreads()).toEqual([kept])
    expect((await sql`select thread_id from analysis_messages`).map((row) => row.thread_id)).toEqual([kept])
    expect((await sql`select day::text from analysis_usage order by day`).map(({ day }) => day)).toEqual([
      '2026-05-08',
      '2026-05-10',
    ])
    ids.push(await insertThread(95))
    await runAt(now + hourMs - 1)
    expect(await listThreads()).toHaveLength(2)
    await runAt(now + hourMs)
    expect(await listThreads()).toEqual([kept])
  } finally {
    await database.close()
  }
})
