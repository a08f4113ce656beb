import { describe, expect, it, onTestFinished } from 'vitest'
import { startJobs } from '#bin/process/start-jobs.ts'
import { openDatabase } from '#db/client/connection.ts'
import { createDatabasePort } from '#db/client/drizzle.ts'
import { readJobSettings } from '#gateway/settings/settings.ts'
import { createHourlyEventRetention } from '#jobs/retention.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { insertPackOf } from '#test/support/share-fixtures.ts'
import { unreachableStorage } from '#test/support/storage.ts'

const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

describe('engagement event retention', () => {
  const gateway = startTestGateway()

  const insertVisits = (owner: { accountId: string }, packId: string, days: number, count: number) =>
    gateway.database.sql`
      insert into engagement_events (id, owner_id, type, occurred_at, pack_id, link_kind, link_id, source, session_id)
      select gen_random_uuid(), ${owner.accountId}, 'pack.viewed', ${dayAgo(days)}, ${packId}, 'pack', 'link', 'mail',
        'session ' || n % 12
      from generate_series(1, ${count}::int) n`

  const runJobs = async (environment: Record<string, string> = {}) => {
    const settings = readJobSettings(
      {
        ...gateway.database.environment,
        ...unreachableStorage,
        ...environment,
      },
      () => true,
    )
    const worker = await startJobs(settings, gateway.log, { sweepIntervalMs: 50 })
    onTestFinished(() => worker.stop())
  }

  const listStoredAges = async (table: 'engagement_events' | 'engagement_visits', packId: string) => {
    const { sql } = gateway.database
    const rows =
      table === 'engagement_events'
        ? await sql`select (now() at time zone 'UTC')::date - (occurred_at at time zone 'UTC')::date as age from engagement_events where pack_id = ${packId}`
        : await sql`select (now() at time zone 'UTC')::date - day as age from engagement_visits where subject_id = ${packId}`
    return [...new Set(rows.map(({ age }) => age))].sort((left, right) => left - right)
  }

  it('deletes old events of every owner without changing reports', async () => {
    const owners = await Promise.all([gateway.signUp(), gateway.signUp(), gateway.signUp()])
    const packs = await Promise.all(
      owners.map(({ accountId }) => insertPackOf(gateway.database.sql, accountId)),
    )
    for (const [n, owner] of owners.entries())
      for (const [days, count] of [
        [500, n === 1 ? 2300 : 20],
        [402, 20],
        [398, 20],
        [20, 20],
        [1, 20],
      ] as const)
        await insertVisits(owner, packs[n]!.packId, days, count)
    const reports = () =>
      Promise.all(
        owners.map(async (owner, n) => {
          const span = `from=${dayAgo(510).slice(0, 10)}&to=${dayAgo(150).slice(0, 10)}`
          const path = `/v1/analytics/packs/${packs[n]!.packId}`
          return [(await owner.get(path)).body, (await owner.get(`${path}?${span}`)).body]
        }),
      )
    const before = await reports()
    expect(before[1]![1].totals).toMatchObject({ views: 2340, uniqueVisitors: 12 })
    await runJobs()
    for (const { packId } of packs)
      await expect
        .poll(() => listStoredAges('engagement_events', packId), { timeout: 10_000 })
        .toEqual([1, 20, 398])
    for (const { packId } of packs)
      await expect.poll(() => listStoredAges('engagement_visits', packId)).toEqual([1, 20, 398])
    expect(await reports()).toEqual(before)
    // The gateway recognizes a returning visitor by the stored visits.
    await insertVisits(owners[1]!, packs[1]!.packId, 0, 12)
    const { body } = await owners[1]!.get(`/v1/analytics/packs/${packs[1]!.packId}`)
    expect(body.totals).toMatchObject({ views: 52, uniqueVisitors: 12 })
  })

  it('keeps events for EVENT_RETENTION_DAYS, which does not affect visits', async () => {
    const owner = await gateway.signUp()
    const { packId } = await insertPackOf(gateway.database.sql, owner.accountId)
    for (const days of [12, 9, 0]) await insertVisits(owner, packId, days, 5)
    await runJobs({ EVENT_RETENTION_DAYS: '10' })
    await expect.poll(() => listStoredAges('engagement_events', packId), { timeout: 10_000 }).toEqual([0, 9])
    expect(await listStoredAges('engagement_visits', packId)).toEqual([0, 9, 12])
  })

  it('deletes visits once a day and events every hour', async () => {
    const owner = await gateway.signUp()
    const { packId } = await insertPackOf(gateway.database.sql, owner.accountId)
    const { url, prepare } = gateway.database
    const database = openDatabase(url, { connections: 1, prepare })
    onTestFinished(() => database.close())
    const db = createDatabasePort(database)
    const midnight = new Date().setUTCHours(0, 0, 0, 0)
    const deleteExpired = createHourlyEventRetention()
    const deleteAt = (hours: number) =>
      deleteExpired(
        { db, clock: { now: () => new Date(midnight + hours * 3_600_000) }, eventRetentionDays: 10 },
        new AbortController().signal,
      )
    await deleteAt(1)
    await insertVisits(owner, packId, 500, 5)
    await deleteAt(3)
    expect(await listStoredAges('engagement_events', packId)).toEqual([])
    expect(await listStoredAges('engagement_visits', packId)).toEqual([500])
    await deleteAt(25)
    expect(await listStoredAges('engagement_visits', packId)).toEqual([])
  })
})
