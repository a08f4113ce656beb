import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deleteEndedOverrides } from '#db/queries/routing/account-overrides.ts'
import { putAccountOverride } from '#migration/control/change-account-override.ts'
import { readChangedRouting } from '#migration/control/read-stored-routing.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

describe('account overrides', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  beforeEach(() => database.sql`truncate account_override`)
  afterAll(() => database.close())

  const insert = (prefix: string, count: number, until: Date | null = null) => database.sql`
    insert into account_override (account_id, scope, side, reason, who, until)
    select ${prefix} || number, 'libraries.*', 'core', 'a test', 'alice', ${until}
    from generate_series(1, ${count}) number`
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
  const put = (accountId: string) =>
    database.db.transaction((tx) =>
      putAccountOverride(tx, {
        accountId,
        scope: 'libraries.*',
        side: 'native',
        reason: 'a test',
        who: 'alice',
        until: null,
      }),
    )

  it('are limited to 10,000 active ones, but can still be replaced at the limit', async () => {
    await insert('ended_', 10, hoursAgo(1))
    await insert('live_', 9999)
    const epoch = await put('last')
    const before = await database.sql`select count(*) from route_audit`
    await expect(put('one_more')).rejects.toMatchObject({
      code: 'account_override_limit_reached',
      body: { limit: 10_000 },
    })
    expect(await database.sql`select count(*) from route_audit`).toEqual(before)
    expect(await put('last')).toBe(epoch + 1)
  })

  it('are all read, except those that have ended', async () => {
    await insert('ended_', 10, hoursAgo(1))
    await insert('live_', 12_345)
    const { overrides } = await readChangedRouting({
      polled: database.db,
      read: database.db,
      previous: null,
      mustRead: false,
      keepStops: async () => {},
      log: createRecordingLog(),
    })
    expect(new Set(overrides.map(({ accountId }) => accountId)).size).toBe(12_345)
    expect(overrides.filter(({ accountId }) => accountId.startsWith('ended_'))).toEqual([])
  })

  it('are deleted a day after they ended, 1,000 at a time', async () => {
    await insert('old_', 1500, hoursAgo(25))
    await insert('recent_', 1, hoursAgo(23))
    await insert('live_', 1)
    const countRows = async () => (await database.sql`select from account_override`).length
    await deleteEndedOverrides(database.db)
    expect(await countRows()).toBe(502)
    await deleteEndedOverrides(database.db)
    expect(await countRows()).toBe(2)
  })
})
